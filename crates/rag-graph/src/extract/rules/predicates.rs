//! What the words between two names say of them.

/// Which way round a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The first name is the subject.
    Forward,
    /// The second name is the subject.
    Backward,
}
use Direction::{Backward, Forward};

/// Longest text between two names, in words, that is still looked at.
pub(super) const MAX_GAP_WORDS: usize = 8;

/// Cues in the text between two names, longer ones before the shorter ones that they contain.
const CUES: &[(&str, &str, Direction)] = &[
    ("is the predecessor of", "replaces", Backward),
    ("is predecessor of", "replaces", Backward),
    ("predecessor of", "replaces", Backward),
    ("was replaced by", "replaces", Backward),
    ("were replaced by", "replaces", Backward),
    ("is replaced by", "replaces", Backward),
    ("are replaced by", "replaces", Backward),
    ("succeeded by", "replaces", Backward),
    ("takes the place of", "replaces", Forward),
    ("supersedes", "replaces", Forward),
    ("succeeds", "replaces", Forward),
    ("succeeded", "replaces", Forward),
    ("replaces", "replaces", Forward),
    ("replaced", "replaces", Forward),
    ("is required for", "requires", Backward),
    ("is needed for", "requires", Backward),
    ("requires", "requires", Forward),
    ("require", "requires", Forward),
    ("needs", "requires", Forward),
    ("need", "requires", Forward),
    ("depends on", "depends on", Forward),
    ("depend on", "depends on", Forward),
    ("relies on", "depends on", Forward),
    ("rely on", "depends on", Forward),
    ("is part of", "part of", Forward),
    ("are part of", "part of", Forward),
    ("part of", "part of", Forward),
    ("belongs to", "part of", Forward),
    ("belong to", "part of", Forward),
    ("member of", "part of", Forward),
    ("members of", "part of", Forward),
    ("consists of", "part of", Backward),
    ("owned by", "owned by", Forward),
    ("owns", "owned by", Backward),
    ("led by", "led by", Forward),
    ("headed by", "led by", Forward),
    ("managed by", "led by", Forward),
    ("chaired by", "led by", Forward),
    ("captained by", "led by", Forward),
    ("approved by", "approved by", Forward),
    ("signed by", "signed by", Forward),
    ("granted by", "approved by", Forward),
    ("decided by", "decided by", Forward),
    ("is decided by", "decided by", Forward),
    ("written by", "written by", Forward),
    ("directed by", "directed by", Forward),
    ("produced by", "produced by", Forward),
    ("composed by", "written by", Forward),
    ("recorded by", "performed by", Forward),
    ("performed by", "performed by", Forward),
    ("released by", "published by", Forward),
    ("published by", "published by", Forward),
    ("developed by", "made by", Forward),
    ("designed by", "made by", Forward),
    ("manufactured by", "made by", Forward),
    ("created by", "made by", Forward),
    ("built by", "made by", Forward),
    ("founded by", "founded by", Forward),
    ("founded", "founded by", Backward),
    ("used by", "uses", Backward),
    ("uses", "uses", Forward),
    ("tested", "tests", Forward),
    ("blocks", "blocks", Forward),
    ("starring", "features", Forward),
    ("features", "features", Forward),
    ("reports to", "reports to", Forward),
    ("works for", "works for", Forward),
    ("worked for", "works for", Forward),
    ("employed by", "works for", Forward),
    ("played for", "plays for", Forward),
    ("plays for", "plays for", Forward),
    ("married to", "married to", Forward),
    ("married", "married to", Forward),
    ("son of", "child of", Forward),
    ("daughter of", "child of", Forward),
    ("father of", "child of", Backward),
    ("mother of", "child of", Backward),
    ("brother of", "sibling of", Forward),
    ("sister of", "sibling of", Forward),
    ("born in", "born in", Forward),
    ("died in", "died in", Forward),
    ("graduated from", "studied at", Forward),
    ("educated at", "studied at", Forward),
    ("studied at", "studied at", Forward),
    ("capital of", "capital of", Forward),
    ("located in", "located in", Forward),
    ("located near", "located near", Forward),
    ("located on", "located in", Forward),
    ("situated in", "located in", Forward),
    ("based in", "located in", Forward),
    ("headquartered in", "located in", Forward),
    ("stands at", "located in", Forward),
    ("stored in", "kept in", Forward),
    ("kept in", "kept in", Forward),
    ("buffered in", "kept in", Forward),
    ("stocked in", "kept in", Forward),
    ("entered in", "kept in", Forward),
    ("تابعة ل", "part of", Forward),
    ("تابع ل", "part of", Forward),
    ("جزء من", "part of", Forward),
    ("يقع في", "located in", Forward),
    ("تقع في", "located in", Forward),
    ("ولد في", "born in", Forward),
    ("عاصمة", "capital of", Forward),
    ("يحتاج إلى", "requires", Forward),
    ("تحتاج إلى", "requires", Forward),
    ("يعتمد على", "depends on", Forward),
    ("تعتمد على", "depends on", Forward),
];

/// Texts that say something only when they are all that stands between the names.
const WHOLE: &[(&str, &str, Direction)] = &[
    ("in", "located in", Forward),
    ("of", "of", Forward),
    ("from", "from", Forward),
    ("by", "by", Forward),
    ("and its", "has", Forward),
    ("في", "located in", Forward),
];

/// What `gap`, the text between two names, says of them.
pub(super) fn predicate(gap: &str) -> Option<(&'static str, Direction)> {
    let words: Vec<String> = gap
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() || words.len() > MAX_GAP_WORDS {
        return None;
    }
    let padded = format!(" {} ", words.join(" "));
    if padded.contains(" not ") || padded.contains(" never ") || padded.contains(" no ") {
        return None;
    }
    let whole = WHOLE.iter().find(|(cue, ..)| gap.trim() == *cue);
    let inner = CUES.iter().find(|(cue, ..)| padded.contains(&format!(" {cue} ")));
    whole
        .or(inner)
        .map(|(_, predicate, direction)| (*predicate, *direction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_names_become_predicates() {
        for (gap, expected) in [
            (" is the predecessor of the ", Some(("replaces", Backward))),
            (" can be approved by the ", Some(("approved by", Forward))),
            (" in ", Some(("located in", Forward))),
            (" sits in a box beside ", None),
            (" does not require ", None),
            (" يقع في ", Some(("located in", Forward))),
            (", ", None),
            (" needs one two three four five six seven eight nine ", None),
        ] {
            assert_eq!(predicate(gap), expected, "{gap}");
        }
    }
}
