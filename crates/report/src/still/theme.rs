//! The colours around the bodies.

/// The background of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// White background.
    #[default]
    Light,
    /// Dark background, for slides.
    Dark,
    /// None: the picture can be laid over a light page.
    Transparent,
}

impl Theme {
    /// The background, if any.
    pub fn background(self) -> Option<[u8; 3]> {
        match self {
            Self::Light => Some([255; 3]),
            Self::Dark => Some([27, 30, 36]),
            Self::Transparent => None,
        }
    }

    /// Text and thin lines.
    pub fn ink(self) -> [u8; 3] {
        match self {
            Self::Light | Self::Transparent => [38, 40, 46],
            Self::Dark => [222, 224, 228],
        }
    }

    /// Floors and their grids.
    pub fn floor(self) -> [u8; 3] {
        match self {
            Self::Light | Self::Transparent => [60, 66, 80],
            Self::Dark => [210, 220, 235],
        }
    }

    /// Opacity of a floor in full shadow.
    pub fn shadow(self) -> f32 {
        match self {
            Self::Light | Self::Transparent => 0.30,
            Self::Dark => 0.55,
        }
    }
}

/// A mixture of two colours: `share` of the second.
pub fn mixed(a: [u8; 3], b: [u8; 3], share: f64) -> [u8; 3] {
    std::array::from_fn(|k| {
        (f64::from(a[k]) + share * (f64::from(b[k]) - f64::from(a[k]))).round().clamp(0.0, 255.0) as u8
    })
}
