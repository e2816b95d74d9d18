//! Numbers, units and months as words, in the languages that are read most.

/// Number words below a hundred, and the hundreds, by value. Words that mean something else in another of the
/// languages (`once`, `cent`) are left out.
const NUMBER_WORDS: &[(u32, &[&str])] = &[
    (0, &["zero", "null", "zéro", "cero", "صفر"]),
    (1, &["one"]),
    (2, &["two", "zwei", "deux", "dos", "اثنان", "اثنين"]),
    (3, &["three", "drei", "trois", "tres", "ثلاثة", "ثلاث"]),
    (4, &["four", "vier", "quatre", "cuatro", "أربعة", "أربع"]),
    (5, &["five", "fünf", "cinq", "cinco", "خمسة", "خمس"]),
    (6, &["six", "sechs", "seis", "ستة"]),
    (7, &["seven", "sieben", "sept", "siete", "سبعة", "سبع"]),
    (8, &["eight", "acht", "huit", "ocho", "ثمانية", "ثماني"]),
    (9, &["nine", "neun", "neuf", "nueve", "تسعة", "تسع"]),
    (10, &["ten", "zehn", "dix", "diez", "عشرة", "عشر"]),
    (11, &["eleven", "elf", "onze"]),
    (12, &["twelve", "zwölf", "douze", "doce"]),
    (13, &["thirteen", "dreizehn", "treize", "trece"]),
    (14, &["fourteen", "vierzehn", "quatorze", "catorce"]),
    (15, &["fifteen", "fünfzehn", "quinze", "quince"]),
    (16, &["sixteen", "sechzehn", "seize"]),
    (17, &["seventeen", "siebzehn"]),
    (18, &["eighteen", "achtzehn"]),
    (19, &["nineteen", "neunzehn"]),
    (20, &["twenty", "zwanzig", "vingt", "veinte", "عشرون", "عشرين"]),
    (30, &["thirty", "dreißig", "trente", "treinta", "ثلاثون", "ثلاثين"]),
    (
        40,
        &["forty", "vierzig", "quarante", "cuarenta", "أربعون", "أربعين"],
    ),
    (
        50,
        &["fifty", "fünfzig", "cinquante", "cincuenta", "خمسون", "خمسين"],
    ),
    (60, &["sixty", "sechzig", "soixante", "sesenta", "ستون", "ستين"]),
    (70, &["seventy", "siebzig", "setenta", "سبعون", "سبعين"]),
    (80, &["eighty", "achtzig", "ochenta", "ثمانون", "ثمانين"]),
    (90, &["ninety", "neunzig", "noventa", "تسعون", "تسعين"]),
    (100, &["hundred", "hundert", "cien", "مئة", "مائة"]),
    (1000, &["thousand", "tausend", "mille", "mil", "ألف"]),
];

/// Words that change how much there is; a claim that has one needs a source that has it too.
const AMOUNTS: &[&str] = &[
    "dozen",
    "dozens",
    "hundreds",
    "thousands",
    "half",
    "double",
    "twice",
    "triple",
    "quarter",
    "unlimited",
    "doppelt",
    "hälfte",
    "halb",
    "moitié",
    "mitad",
    "نصف",
    "ضعف",
];

/// Units by their spellings. A number with another unit is another fact; one without a unit agrees with any.
const UNITS: &[(&str, &[&str])] = &[
    (
        "s",
        &[
            "second",
            "seconds",
            "sekunde",
            "sekunden",
            "seconde",
            "secondes",
            "ثانية",
        ],
    ),
    (
        "min",
        &[
            "minute",
            "minutes",
            "minuten",
            "minuto",
            "minutos",
            "دقيقة",
            "دقائق",
        ],
    ),
    (
        "h",
        &[
            "hour",
            "hours",
            "stunde",
            "stunden",
            "heure",
            "heures",
            "hora",
            "horas",
            "ساعة",
            "ساعات",
        ],
    ),
    (
        "d",
        &[
            "day",
            "days",
            "tag",
            "tage",
            "tagen",
            "jour",
            "jours",
            "día",
            "días",
            "يوم",
            "يوما",
            "يومًا",
            "أيام",
        ],
    ),
    (
        "wk",
        &[
            "week",
            "weeks",
            "woche",
            "wochen",
            "semaine",
            "semaines",
            "semana",
            "semanas",
            "أسبوع",
            "أسبوعا",
            "أسبوعًا",
            "أسابيع",
        ],
    ),
    (
        "mo",
        &[
            "month",
            "months",
            "monat",
            "monate",
            "monaten",
            "mois",
            "mes",
            "meses",
            "شهر",
            "شهرا",
            "شهرًا",
            "أشهر",
        ],
    ),
    (
        "y",
        &[
            "year",
            "years",
            "jahr",
            "jahre",
            "jahren",
            "année",
            "années",
            "ans",
            "año",
            "años",
            "سنة",
            "سنوات",
        ],
    ),
    ("eur", &["eur", "euro", "euros", "€", "يورو"]),
    ("usd", &["usd", "dollar", "dollars", "$", "دولار"]),
    ("gbp", &["gbp", "pound", "pounds", "£"]),
    ("chf", &["chf", "franc", "francs", "franken"]),
    ("jpy", &["jpy", "yen", "¥"]),
    ("c", &["cents"]),
    ("m", &["metre", "metres", "meter", "meters"]),
    (
        "km",
        &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    ),
    ("mi", &["mile", "miles"]),
    ("g", &["gram", "grams", "gramm"]),
    ("kg", &["kg", "kilogram", "kilograms", "kilogramm"]),
];

/// What a number is multiplied by.
const SCALES: &[(&str, &[&str])] = &[
    ("thousand", &["thousand", "tausend", "mille", "mil", "ألف"]),
    (
        "million",
        &["million", "millions", "millionen", "millones", "مليون"],
    ),
    (
        "billion",
        &["billion", "billions", "milliarden", "milliards", "مليار"],
    ),
];

/// Months by their names, from 1.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "janvier", "enero", "يناير"],
    &["february", "februar", "février", "febrero", "فبراير"],
    &["march", "märz", "mars", "marzo", "مارس"],
    &["april", "avril", "abril", "أبريل"],
    &["may", "mai", "mayo", "مايو"],
    &["june", "juni", "juin", "junio", "يونيو"],
    &["july", "juli", "juillet", "julio", "يوليو"],
    &["august", "août", "agosto", "أغسطس"],
    &["september", "septembre", "septiembre", "سبتمبر"],
    &["october", "oktober", "octobre", "octubre", "أكتوبر"],
    &["november", "novembre", "noviembre", "نوفمبر"],
    &["december", "dezember", "décembre", "diciembre", "ديسمبر"],
];

fn value(word: &str) -> Option<u32> {
    let known = NUMBER_WORDS.iter().find(|(_, words)| words.contains(&word));
    known.map(|(value, _)| *value)
}

/// The number that begins with the word at `at`, and how many words it takes: "two hundred and seventy-five".
/// "One" by itself is none, since it mostly is an article, unless a unit follows.
pub(super) fn number_at(words: &[String], at: usize) -> Option<(u32, usize)> {
    let (mut total, mut current): (u32, u32) = (0, value(&words[at])?);
    let mut last = current;
    let mut length = 1;
    while let Some(word) = words.get(at + length) {
        let joins = last >= 100 && word == "and";
        let Some(next) = words
            .get(at + length + usize::from(joins))
            .and_then(|word| value(word))
        else {
            break;
        };
        match next {
            1000 => {
                total += current.max(1) * 1000;
                current = 0;
            }
            100 if current < 100 => current = current.max(1) * 100,
            1..=9 if last >= 20 => current += next,
            10..=99 if last >= 100 => current += next,
            _ => break,
        }
        last = next;
        length += 1 + usize::from(joins);
    }
    let number = total + current;
    let is_article = number == 1 && words.get(at + 1).is_none_or(|next| unit(next).is_none());
    (!is_article).then_some((number, length))
}

/// Whether the word changes how much there is.
pub(super) fn is_amount(word: &str) -> bool {
    AMOUNTS.contains(&word)
}

/// The unit that a word or a sign stands for.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    named(UNITS, word)
}

/// `number`, multiplied by what the word behind it says: "4 thousand" is 4000, "38.6 million" stays.
pub(super) fn scaled(number: String, word: &str) -> String {
    match (named(SCALES, word), number.parse::<u32>()) {
        (Some("thousand"), Ok(number)) => (u64::from(number) * 1000).to_string(),
        (Some(scale), _) => format!("{number} {scale}"),
        (None, _) => number,
    }
}

fn named(table: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    let known = table.iter().find(|(_, spellings)| spellings.contains(&word));
    known.map(|(name, _)| *name)
}

/// The month that a word names, from 1.
pub(super) fn month(word: &str) -> Option<u32> {
    (1..)
        .zip(MONTHS)
        .find(|(_, names)| names.contains(&word))
        .map(|(month, _)| month)
}

/// Whether the word is a month's name.
pub(crate) fn names_month(word: &str) -> bool {
    month(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words_are_read_whole() {
        for (text, expected) in [
            ("two", Some((2, 1))),
            ("twenty seven days", Some((27, 2))),
            ("two hundred and seventy five", Some((275, 5))),
            ("four thousand one hundred", Some((4100, 4))),
            ("hundred days", Some((100, 1))),
            ("twenty twelve", Some((20, 1))),
            ("one of them", None),
            ("one day", Some((1, 1))),
            ("zero days", Some((0, 1))),
            ("dreißig tage", Some((30, 1))),
            ("tunnel", None),
        ] {
            let words: Vec<String> = text.split(' ').map(ToOwned::to_owned).collect();
            assert_eq!(number_at(&words, 0), expected, "{text}");
        }
    }
}
