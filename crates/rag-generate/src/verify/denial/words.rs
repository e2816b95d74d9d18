//! Words and marks by which texts deny, except and go on.

use rag_core::text::Piece;

/// Words of negation that every text is read with: English and Arabic.
pub(super) const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "neither",
    "nor",
    "cannot",
    "nobody",
    "nothing",
    "nowhere",
    "hardly",
    "unwelcome",
    "لا",
    "لم",
    "لن",
    "ليس",
    "ليست",
    "ليسوا",
    "غير",
    "ولا",
    "ولم",
    "ولن",
    "وليس",
    "وليست",
    "فلا",
];

/// Words that deny what follows and end what stands before, which holds only but for it.
pub(super) const WITHOUT: &[&str] = &[
    "without", "بدون", "دون", "بلا", "ohne", "sans", "sin", "senza", "sem", "zonder", "utan", "uden", "uten",
    "без",
];

/// Words behind which what stands before does not hold.
pub(super) const EXCEPTING: &[&str] = &[
    "unless",
    "except",
    "until",
    "إلا",
    "außer",
    "sauf",
    "salvo",
    "excepto",
    "tranne",
    "behalve",
    "кроме",
];

/// What "without" adds nothing with: "without exception" means "always".
pub(super) const EMPHATIC: &[&str] = &["exception", "exceptions", "doubt", "fail", "استثناء"];

/// Words that begin another clause.
pub(super) const CLAUSE_WORDS: &[&str] = &[
    "and", "but", "because", "if", "when", "while", "although", "though", "so", "since", "which", "who",
    "whose", "whereas", "لكن", "ولكن", "لأن", "إذا", "und", "aber", "weil", "wenn", "et", "mais", "si", "y",
    "pero", "e", "ma", "mas", "en", "maar", "och", "men", "и", "но", "если",
];

/// Words of negation that deny a noun with all that is said of it.
pub(super) const NOUN_NEGATIONS: &[&str] = &[
    "no", "none", "neither", "nor", "nobody", "nothing", "kein", "keine", "keinen", "keinem", "keiner",
    "keines", "niemand", "nichts", "aucun", "aucune", "nul", "nulle", "rien", "ningún", "ninguno", "ninguna",
    "nadie", "nessun", "nessuno", "nessuna", "nenhum", "nenhuma", "geen", "niemand",
];

/// Words that begin what somebody says, thinks or doubts.
pub(super) const THAT: &[&str] = &["that", "dass", "daß", "que", "أن"];

/// Words that cast doubt on what "that" begins.
pub(super) const HEDGES: &[&str] = &[
    "false",
    "untrue",
    "wrong",
    "doubt",
    "doubts",
    "deny",
    "denies",
    "denied",
    "rumour",
    "rumoured",
    "rumored",
    "alleged",
    "allege",
    "claim",
    "claims",
    "claimed",
    "suspect",
    "suspects",
    "suspected",
    "falsch",
    "faux",
    "falso",
    "خطأ",
];

/// Words that forbid, and those that allow what they forbid.
pub(super) const FORBIDDING: &[(&str, &str)] = &[
    ("forbidden", "allowed"),
    ("prohibited", "allowed"),
    ("banned", "allowed"),
    ("disallowed", "allowed"),
    ("impermissible", "allowed"),
    ("rejected", "approved"),
    ("refused", "approved"),
    ("rejects", "approves"),
    ("refuses", "approves"),
    ("reject", "approve"),
    ("refuse", "approve"),
    ("verboten", "erlaubt"),
    ("untersagt", "erlaubt"),
    ("interdit", "autorisé"),
    ("interdite", "autorisé"),
    ("prohibido", "permitido"),
    ("ممنوع", "مسموح"),
    ("محظور", "مسموح"),
];

/// Words for what is allowed, and the one that stands for them.
pub(super) const ALLOWING: &[(&str, &str)] = &[
    ("permitted", "allowed"),
    ("permissible", "allowed"),
    ("authorised", "allowed"),
    ("authorized", "allowed"),
    ("gestattet", "erlaubt"),
    ("zulässig", "erlaubt"),
    ("permis", "autorisé"),
];

/// What may restrict behind "only".
pub(super) const RESTRICTED_BY: &[&str] = &[
    "with", "if", "when", "after", "before", "by", "for", "on", "at", "from", "under", "during",
];

/// Pairs of opposites that no word of negation shows.
pub(super) const OPPOSITES: &[(&[&str], &[&str])] = &[
    (&["before"], &["after"]),
    (&["next"], &["previous", "last"]),
    (&["above"], &["below"]),
    (&["more"], &["less", "fewer"]),
    (&["most", "maximum"], &["least", "minimum"]),
    (
        &["increase", "increases", "increased", "rise", "rises", "rose"],
        &["decrease", "decreases", "decreased", "fall", "falls", "fell"],
    ),
    (&["higher"], &["lower"]),
    (&["earlier"], &["later"]),
    (&["open"], &["closed"]),
    (
        &["include", "includes", "included"],
        &["exclude", "excludes", "excluded"],
    ),
    (
        &["accept", "accepts", "accepted"],
        &["decline", "declines", "declined"],
    ),
    (&["entitled", "eligible"], &["excluded", "ineligible"]),
    (&["may", "can"], &["must", "shall"]),
    (&["with"], &["without"]),
    (&["has", "have"], &["lacks", "lack"]),
    (&["vor"], &["nach"]),
    (&["avant"], &["après"]),
    (&["antes"], &["después"]),
    (&["قبل"], &["بعد"]),
];

/// Verbs behind which the predicate stands.
pub(super) fn auxiliaries_of(code: &str) -> &'static [&'static str] {
    match code {
        "de" => &[
            "ist", "sind", "war", "waren", "wird", "werden", "wurde", "wurden", "kann", "können", "darf",
            "dürfen", "muss", "müssen", "soll", "sollen", "hat", "haben",
        ],
        "fr" => &[
            "est", "sont", "était", "sera", "seront", "peut", "peuvent", "doit", "doivent", "ont",
        ],
        "es" => &[
            "es", "son", "está", "están", "será", "serán", "puede", "pueden", "debe", "deben", "ha", "han",
        ],
        _ => &[
            "is", "are", "was", "were", "be", "been", "being", "may", "can", "could", "must", "shall",
            "should", "will", "would", "do", "does", "did", "has", "have", "had",
        ],
    }
}

/// Words of negation of a language, beside those that every text is read with.
pub(super) fn negations_of(code: &str) -> &'static [&'static str] {
    match code {
        "de" => &[
            "nicht",
            "keinesfalls",
            "keineswegs",
            "kaum",
            "nirgends",
            "kein",
            "keine",
            "keinen",
            "keinem",
            "keiner",
            "keines",
            "nie",
            "niemals",
            "niemand",
            "nichts",
            "weder",
        ],
        "fr" => &["ne", "n", "nul", "pas", "jamais", "aucun", "aucune", "ni", "rien"],
        "es" => &[
            "nunca", "jamás", "ningún", "ninguno", "ninguna", "tampoco", "nada", "nadie",
        ],
        "it" => &["non", "mai", "nessun", "nessuno", "nessuna", "niente", "nulla"],
        "pt" => &["não", "nunca", "nenhum", "nenhuma", "jamais", "nada"],
        "nl" => &["niet", "geen", "nooit", "noch", "niets", "niemand"],
        "sv" => &["inte", "ej", "aldrig", "ingen", "inget", "inga"],
        "da" | "no" | "nb" | "nn" => &["ikke", "aldri", "aldrig", "ingen", "intet", "ingenting"],
        "ru" => &["не", "нет", "никогда", "ни", "нельзя"],
        _ => &[],
    }
}

/// Ends a clause.
pub(super) fn is_clause_mark(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')' | '—' | '–' | '،' | '؛' | '؟' | '\n'
    )
}

/// "no." before a number.
pub(super) fn is_label(word: &str, text: &str, piece: &Piece<'_>) -> bool {
    word == "no"
        && text[piece.span.end..]
            .trim_start_matches(['.', ' '])
            .starts_with(char::is_numeric)
}

/// "isn't": the piece ends before the apostrophe.
pub(super) fn is_contracted(text: &str, piece: &Piece<'_>) -> bool {
    let rest = text[piece.span.end..].strip_prefix(['\'', '’']);
    let is_tail = |rest: &str| {
        rest.strip_prefix(['t', 'T'])
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    piece.text.ends_with(['n', 'N']) && rest.is_some_and(is_tail)
}
