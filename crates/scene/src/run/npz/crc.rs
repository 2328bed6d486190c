//! The checksum of zip archives: CRC-32 with the reflected polynomial `0xEDB88320`, eight bytes at a time.

/// `TABLES[k][b]`: the remainder of byte `b` followed by `k` zero bytes.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut b = 0;
    while b < 256 {
        let mut remainder = b as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = (remainder >> 1) ^ (0xEDB8_8320 & (remainder & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][b] = remainder;
        b += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut b = 0;
        while b < 256 {
            let before = tables[k - 1][b];
            tables[k][b] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            b += 1;
        }
        k += 1;
    }
    tables
}

/// A checksum in the making.
#[derive(Clone, Copy, Debug)]
pub struct Crc(u32);

impl Crc {
    pub fn new() -> Self {
        Self(!0)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        let mut crc = self.0;
        let (groups, rest) = bytes.as_chunks::<8>();
        for group in groups {
            let word = u64::from_le_bytes(*group) ^ u64::from(crc);
            crc = (0..8).fold(0, |sum, k| sum ^ TABLES[7 - k][(word >> (8 * k)) as usize & 0xFF]);
        }
        for &byte in rest {
            crc = (crc >> 8) ^ TABLES[0][((crc ^ u32::from(byte)) & 0xFF) as usize];
        }
        self.0 = crc;
    }

    pub fn value(self) -> u32 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_published_check_and_of_one_bit_at_a_time() {
        let of = |bytes: &[u8]| {
            let mut crc = Crc::new();
            crc.add(bytes);
            crc.value()
        };
        assert_eq!(of(b"123456789"), 0xCBF4_3926);
        let long: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        let mut slow = !0u32;
        for &byte in &long {
            slow ^= u32::from(byte);
            for _ in 0..8 {
                slow = if slow & 1 == 1 { (slow >> 1) ^ 0xEDB8_8320 } else { slow >> 1 };
            }
        }
        assert_eq!(of(&long), !slow);
        let mut pieces = Crc::new();
        long.chunks(13).for_each(|piece| pieces.add(piece));
        assert_eq!(pieces.value(), !slow);
    }
}
