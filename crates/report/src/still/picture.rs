//! A finished picture and its file.

/// A picture: rows from above, four bytes a pixel, red, green, blue and opacity, not premultiplied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `4 width height` bytes.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The bytes of a PNG file.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing into memory does not fail, and the header agrees with the pixels.
        self.encode(&mut bytes).unwrap_or_default();
        bytes
    }

    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), png::EncodingError> {
        let solid = self.pixels.as_chunks::<4>().0.iter().all(|p| p[3] == 255);
        let mut encoder = png::Encoder::new(bytes, self.width as u32, self.height as u32);
        encoder.set_color(if solid { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        match solid {
            false => writer.write_image_data(&self.pixels)?,
            true => {
                let opaque: Vec<u8> =
                    self.pixels.as_chunks::<4>().0.iter().flat_map(|p| [p[0], p[1], p[2]]).collect();
                writer.write_image_data(&opaque)?;
            }
        }
        writer.finish()
    }

    /// Red, green, blue and opacity of a pixel; nothing outside.
    pub fn at(&self, x: usize, y: usize) -> Option<[u8; 4]> {
        let first = 4 * (y * self.width + x);
        let pixel = self.pixels.get(first..first + 4).filter(|_| x < self.width)?;
        Some([pixel[0], pixel[1], pixel[2], pixel[3]])
    }
}
