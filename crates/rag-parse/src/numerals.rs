//! Numbers as lists write them: letters and Roman numerals.

/// a … z, aa … zz, as word processors count; digits for 0.
pub(crate) fn letters(value: u32) -> String {
    let Some(before) = value.checked_sub(1) else {
        return value.to_string();
    };
    let letter = char::from(b'a' + (before % 26) as u8);
    letter.to_string().repeat((before / 26 + 1).min(10) as usize)
}

/// i, ii, iii, …; digits for what Roman numerals cannot say.
pub(crate) fn roman(value: u32) -> String {
    const DIGITS: &[(u32, &str)] = &[
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if value == 0 || value >= 4000 {
        return value.to_string();
    }
    let mut rest = value;
    let mut text = String::new();
    for (worth, digit) in DIGITS {
        while rest >= *worth {
            text.push_str(digit);
            rest -= worth;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_lists_have_them() {
        let cases = [(0, "0", "0"), (1, "a", "i"), (4, "d", "iv"), (28, "bb", "xxviii")];
        for (value, as_letters, as_roman) in cases {
            assert_eq!(
                (letters(value), roman(value)),
                (as_letters.into(), as_roman.into())
            );
        }
        assert_eq!(roman(4000), "4000");
    }
}
