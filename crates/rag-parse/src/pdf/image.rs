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
        assert!(image.to_pgm().starts_with(b"P5 3 2 255\n\x01"));
    }
}
