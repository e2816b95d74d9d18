//! The characters that a recognition network knows, which its file lists among its properties.

/// Name of the property.
const NAME: &[u8] = b"character";

/// Numbers of fields: the properties of a model, and name and value of a property.
const PROPERTIES: u64 = 14;
const KEY: u64 = 1;
const VALUE: u64 = 2;

/// The characters by class: class 0 stands for none, the last one for a space. Nothing when the bytes are
/// no ONNX file with such a list.
pub(super) fn characters(model: &[u8]) -> Option<Vec<String>> {
    let is_list = |property: &&[u8]| Fields(property).any(|field| field == (KEY, NAME));
    let property = Fields(model)
        .filter(|(number, _)| *number == PROPERTIES)
        .map(|(_, property)| property)
        .find(is_list)?;
    let (_, list) = Fields(property).find(|(number, _)| *number == VALUE)?;
    let list = std::str::from_utf8(list).ok()?;
    let mut characters = vec![String::new()];
    characters.extend(list.split('\n').map(str::to_owned));
    if characters.last().is_some_and(String::is_empty) {
        characters.pop();
    }
    characters.push(" ".to_owned());
    Some(characters)
}

/// The fields of a protobuf message that hold bytes, in order; it ends at what it does not understand.
struct Fields<'m>(&'m [u8]);

impl<'m> Iterator for Fields<'m> {
    type Item = (u64, &'m [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let tag = self.number()?;
            let (field, kind) = (tag >> 3, tag & 7);
            match kind {
                0 => {
                    self.number()?;
                }
                1 => self.0 = self.0.get(8..)?,
                2 => {
                    let length = usize::try_from(self.number()?).ok()?;
                    let (value, rest) = self.0.split_at_checked(length)?;
                    self.0 = rest;
                    return Some((field, value));
                }
                5 => self.0 = self.0.get(4..)?,
                _ => return None,
            }
        }
    }
}

impl Fields<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for at in 0..10 {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(7 * at)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(number: u8, value: &[u8]) -> Vec<u8> {
        let length = u8::try_from(value.len()).unwrap();
        [&[number << 3 | 2, length], value].concat()
    }

    #[test]
    fn the_list_is_found_behind_other_fields() {
        let other = [field(1, b"name"), field(2, b"x")].concat();
        let list = [field(1, NAME), field(2, "a\nß\n東".as_bytes())].concat();
        let model = [
            vec![0x08, 0x96, 0x01],
            field(7, b"graph"),
            field(14, &other),
            field(14, &list),
        ]
        .concat();
        assert_eq!(characters(&model).unwrap(), ["", "a", "ß", "東", " "]);
        assert_eq!(characters(&model[..model.len() - 2]), None);
        assert_eq!(characters(b""), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            characters(&bytes);
        }
    }
}
