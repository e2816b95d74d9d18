//! Grey images of pages, for text recognition.

/// A picture in shades of grey, row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GreyImage {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pixels: Vec<u8>,
}

impl GreyImage {
    /// The picture turned clockwise by 90 degrees.
    pub(super) fn turned(&self) -> Self {
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for x in 0..self.width {
            for y in (0..self.height).rev() {
                pixels.push(self.pixels[y * self.width + x]);
            }
        }
        Self {
            width: self.height,
            height: self.width,
            pixels,
        }
    }

    /// The picture as a file in the simplest form that browsers show (BMP, a byte per pixel).
    pub(super) fn to_bmp(&self) -> Vec<u8> {
        const HEADERS: u32 = 14 + 40 + 256 * 4;
        let stride = self.width.next_multiple_of(4);
        let size = (stride * self.height) as u32;
        let mut file = Vec::with_capacity(HEADERS as usize + stride * self.height);
        file.extend_from_slice(b"BM");
        for number in [
            HEADERS + size,
            0,
            HEADERS,
            40,
            self.width as u32,
            self.height as u32,
        ] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        // One plane, 8 bits per pixel; then no compression, sizes, and a palette of 256 greys.
        file.extend_from_slice(&[1, 0, 8, 0]);
        for number in [0, size, 2_835, 2_835, 256, 0] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        file.extend((0..=255).flat_map(|grey| [grey, grey, grey, 0]));
        for row in self.pixels.chunks(self.width.max(1)).rev() {
            file.extend_from_slice(row);
            file.resize(file.len() + stride - row.len(), 0);
        }
        file
    }

    /// The picture as a file in the simplest form that programs read (PGM, binary).
    pub(super) fn to_pgm(&self) -> Vec<u8> {
        let mut file = format!("P5 {} {} 255\n", self.width, self.height).into_bytes();
        file.extend_from_slice(&self.pixels);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_turns_change_nothing() {
        let image = GreyImage {
            width: 3,
            height: 2,
            pixels: vec![1, 2, 3, 4, 5, 6],
        };
        let turned = image.turned();
        assert_eq!((turned.width, turned.pixels.clone()), (2, vec![4, 1, 5, 2, 6, 3]));
        assert_eq!(turned.turned().turned().turned(), image);
        let bmp = image.to_bmp();
        assert_eq!(
            (bmp.len(), &bmp[bmp.len() - 8..]),
            (1078 + 8, &[4, 5, 6, 0, 1, 2, 3, 0][..])
        );
        assert!(image.to_pgm().starts_with(b"P5 3 2 255\n\x01"));
    }
}
