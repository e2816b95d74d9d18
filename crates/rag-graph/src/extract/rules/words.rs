//! Word lists of the model-free extractor. Each is sorted, for binary search.

/// Capitalised words that begin sentences and are no part of a name.
#[rustfmt::skip] // One word a line hides the list.
const STARTERS: &[&str] = &[
    "a", "about", "above", "according", "after", "again", "all", "already", "also", "although", "always",
    "among", "an", "and", "another", "answer", "any", "anybody", "anyone", "anything", "apart", "are",
    "around", "as", "ask", "at", "attach", "be", "because", "before", "behind", "below", "beside",
    "besides", "best", "between", "beyond", "book", "both", "bring", "but", "by", "call", "can", "carry",
    "change", "check", "choose", "clean", "close", "compare", "confirm", "could", "describe", "did", "do",
    "does", "don't", "draw", "during", "each", "early", "either", "else", "enter", "even",
    "ever", "every", "everybody", "everyone", "everything", "except", "few", "fight", "find", "first",
    "follow", "for", "formerly", "four", "from", "further", "get", "give", "given", "go", "had", "has",
    "have", "he", "hence", "her", "here", "his", "hold", "how", "however", "i", "if", "in", "instead",
    "into", "is", "it", "its", "itself", "just", "keep", "last", "late", "later", "leave", "less", "let",
    "lift", "like", "list", "lock", "look", "make", "many", "mark", "may", "me", "meanwhile", "meet",
    "might", "more", "most", "move", "much", "must", "my", "name", "near", "neither", "never",
    "nevertheless", "new", "next", "no", "nobody", "none", "nor", "not", "note", "nothing", "now", "of",
    "off", "often", "on", "once", "one", "only", "open", "or", "order", "other", "others", "our", "ours",
    "out", "over", "own", "per", "perhaps", "please", "press", "put", "rather", "read", "register",
    "remember", "replace", "report", "requests", "restart", "return", "run", "same", "see", "send",
    "several", "shall", "she", "should", "show", "since", "six", "so", "some", "somebody", "someone",
    "something", "soon", "speak", "start", "still", "stop", "store", "submit", "such", "take", "tell",
    "ten", "than", "that", "the", "their", "them", "then", "there", "therefore", "these", "they", "this",
    "those", "though", "three", "through", "thus", "to", "today", "together", "tomorrow", "too", "touch",
    "turn", "two", "under", "unless", "until", "up", "upon", "us", "use", "used", "usually",
    "very", "visit", "wait", "was", "watch", "we", "wear", "were", "what", "when", "where", "whereas",
    "whether", "which", "while", "who", "whoever", "whom", "whose", "why", "will", "with", "within",
    "without", "would", "write", "yes", "yesterday", "yet", "you", "your",
];

/// Months and weekdays: dates are no entities.
#[rustfmt::skip] // One word a line hides the list.
const CALENDAR: &[&str] = &[
    "april", "august", "december", "february", "friday", "fridays", "january", "july", "june", "march",
    "may", "monday", "mondays", "november", "october", "saturday", "saturdays", "september", "sunday",
    "sundays", "thursday", "thursdays", "tuesday", "tuesdays", "wednesday", "wednesdays",
];

/// Lower-case words that may stand inside a name.
#[rustfmt::skip] // One word a line hides the list.
const INNER: &[&str] = &[
    "al", "an", "auf", "av", "bin", "da", "das", "de", "del", "della", "der", "des", "di", "do", "dos",
    "du", "el", "en", "ibn", "la", "las", "le", "les", "los", "of", "on", "op", "ten", "ter", "the", "upon",
    "van", "von", "y", "zu",
];

/// Words before a person's name.
#[rustfmt::skip] // One word a line hides the list.
const TITLES: &[&str] = &[
    "dr", "lady", "lord", "miss", "mr", "mrs", "ms", "president", "prince", "princess", "prof", "professor",
    "sir",
];

/// Words that a post has in its name.
#[rustfmt::skip] // One word a line hides the list.
const ROLES: &[&str] = &[
    "accountant", "agent", "auditor", "chief", "clerk", "coordinator", "director", "engineer", "head",
    "lead", "manager", "officer", "secretary", "supervisor", "technician", "treasurer",
];

/// Words that an organisation has in its name.
#[rustfmt::skip] // One word a line hides the list.
const ORGANISATIONS: &[&str] = &[
    "academy", "agency", "airlines", "army", "association", "authority", "bank", "board", "bureau",
    "church", "club", "co", "college", "commission", "committee", "company", "corp", "corporation",
    "council", "department", "desk", "foundation", "gmbh", "group", "inc", "institute", "laboratory",
    "league", "ltd", "ministry", "museum", "orchestra", "organisation", "organization", "party", "records",
    "school", "society", "studios", "team", "union", "university",
];

/// Words that a place has in its name.
#[rustfmt::skip] // One word a line hides the list.
const PLACES: &[&str] = &[
    "airport", "avenue", "bay", "bridge", "castle", "city", "county", "desert", "district", "forest",
    "harbour", "hill", "hospital", "island", "islands", "lake", "mountain", "mountains", "ocean", "park",
    "province", "river", "road", "sea", "square", "street", "town", "valley", "village",
];

/// True for a word, in lower case, that begins sentences.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.binary_search(&word).is_ok()
}

/// True for a month or weekday, in lower case. `May` and `March` are dates more often than names.
pub(super) fn is_calendar(word: &str) -> bool {
    CALENDAR.binary_search(&word).is_ok()
}

/// True for a lower-case word that may stand inside a name.
pub(super) fn is_inner(word: &str) -> bool {
    INNER.binary_search(&word).is_ok()
}

/// True for a word, in lower case, that stands before persons' names.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.binary_search(&word).is_ok()
}

/// The kind that a word, in lower case, says its name has, if it says so.
pub(super) fn kind_of(word: &str) -> Option<&'static str> {
    let lists = [
        (ROLES, super::Kind::ROLE),
        (ORGANISATIONS, super::Kind::ORGANISATION),
        (PLACES, super::Kind::PLACE),
    ];
    lists
        .into_iter()
        .find(|(list, _)| list.binary_search(&word).is_ok())
        .map(|(_, kind)| kind)
}

/// Arabic words, without affixes, that name the sort of thing that follows them.
const ARABIC_CUES: &[(&str, &str)] = &[
    ("برنامج", super::Kind::SYSTEM),
    ("تطبيق", super::Kind::SYSTEM),
    ("نظام", super::Kind::SYSTEM),
    ("منصه", super::Kind::SYSTEM),
    ("مدينه", super::Kind::PLACE),
    ("محافظه", super::Kind::PLACE),
    ("دوله", super::Kind::PLACE),
    ("نهر", super::Kind::PLACE),
    ("جبل", super::Kind::PLACE),
    ("مبني", super::Kind::PLACE),
    ("شركه", super::Kind::ORGANISATION),
    ("جامعه", super::Kind::ORGANISATION),
    ("وزاره", super::Kind::ORGANISATION),
    ("بنك", super::Kind::ORGANISATION),
    ("نادي", super::Kind::ORGANISATION),
    ("سيد", super::Kind::PERSON),
    ("سيده", super::Kind::PERSON),
    ("انسه", super::Kind::PERSON),
    ("دكتور", super::Kind::PERSON),
    ("دكتوره", super::Kind::PERSON),
    ("مهندس", super::Kind::PERSON),
    ("ملك", super::Kind::PERSON),
    ("شيخ", super::Kind::PERSON),
];

/// The kind that an Arabic word says the name after it has. The article is left out; teh marbuta counts.
pub(super) fn arabic_cue(word: &str) -> Option<&'static str> {
    let plain: String = word
        .chars()
        .filter(|c| !matches!(c, '\u{064B}'..='\u{0652}' | '\u{0640}'))
        .map(|c| match c {
            'أ' | 'إ' | 'آ' => 'ا',
            'ة' => 'ه',
            'ى' => 'ي',
            other => other,
        })
        .collect();
    let bare = ["وال", "بال", "ال", "لل"]
        .iter()
        .find_map(|article| plain.strip_prefix(article))
        .unwrap_or(&plain);
    ARABIC_CUES
        .iter()
        .find(|(cue, _)| *cue == bare)
        .map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_binary_search() {
        for list in [STARTERS, CALENDAR, INNER, TITLES, ROLES, ORGANISATIONS, PLACES] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn arabic_cues_are_known_with_article_and_vowels() {
        for (word, kind) in [
            ("السيّد", Some("person")),
            ("نظام", Some("system")),
            ("والمدينة", Some("place")),
            ("كتاب", None),
        ] {
            assert_eq!(arabic_cue(word), kind, "{word}");
        }
    }
}
