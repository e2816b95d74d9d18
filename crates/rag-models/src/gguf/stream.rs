//! Bytes of tokens to pieces of text that may be shown: whole characters only, nothing of a stop text, and no
//! part of a tool call.

/// What keeps text back, found while it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// A stop text came; what follows is dropped.
    StopText,
    /// The text goes on.
    None,
}

/// Turns the bytes of a text that comes piece by piece into text.
#[derive(Debug)]
pub(super) struct Stream {
    /// Texts that end the text.
    stops: Vec<String>,
    /// Text from this on is kept to the end.
    hold: Option<&'static str>,
    /// The first bytes of a character that is not complete.
    bytes: Vec<u8>,
    /// Text that may be the beginning of a stop text, or is held.
    pending: String,
    is_held: bool,
    /// A stop text came: nothing more is shown.
    is_over: bool,
}

impl Stream {
    /// A stream that ends at each of `stops` (empty ones are none) and keeps back what follows `hold`.
    pub(super) fn new(stops: &[String], hold: Option<&'static str>) -> Self {
        Self {
            stops: stops.iter().filter(|stop| !stop.is_empty()).cloned().collect(),
            hold,
            bytes: Vec::new(),
            pending: String::new(),
            is_held: false,
            is_over: false,
        }
    }

    /// Takes the next bytes; gives the text that may be shown now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> (String, Ending) {
        self.bytes.extend_from_slice(bytes);
        let complete = take_complete(&mut self.bytes);
        self.take(&complete)
    }

    /// The text is over: gives what was kept back of it, which is shown, and what was held, which is not.
    pub(super) fn finish(mut self) -> Finished {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned();
        let (mut shown, ending) = self.take(&rest);
        let mut held = String::new();
        if self.is_held {
            held = self.pending;
        } else {
            shown.push_str(&self.pending);
        }
        Finished { shown, held, ending }
    }

    fn take(&mut self, text: &str) -> (String, Ending) {
        if self.is_over {
            return (String::new(), Ending::StopText);
        }
        self.pending.push_str(text);
        if let Some(at) = self.first_stop() {
            self.is_over = true;
            self.pending.truncate(at);
            let shown = self.take_shown(usize::MAX);
            return (shown, Ending::StopText);
        }
        let kept = self.stops.iter().map(|stop| overlap(&self.pending, stop)).max();
        let end = self.pending.len() - kept.unwrap_or(0);
        (self.take_shown(end), Ending::None)
    }

    /// Where the earliest stop text starts.
    fn first_stop(&self) -> Option<usize> {
        self.stops.iter().filter_map(|stop| self.pending.find(stop)).min()
    }

    /// Takes the pending text up to `end` as far as nothing holds it.
    fn take_shown(&mut self, end: usize) -> String {
        if self.is_held {
            return String::new();
        }
        let mut end = end.min(self.pending.len());
        if let Some(hold) = self.hold {
            if let Some(at) = self.pending.find(hold) {
                self.is_held = at <= end;
                end = end.min(at);
            } else {
                end = end.min(self.pending.len() - overlap(&self.pending, hold));
            }
        }
        self.pending.drain(..end).collect()
    }
}

/// What is left at the end of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finished {
    /// Text that may be shown.
    pub(super) shown: String,
    /// Text from the hold on.
    pub(super) held: String,
    /// Whether a stop text was completed by the last bytes.
    pub(super) ending: Ending,
}

/// Bytes at the end of `text` that `wanted` begins with, fewer than all of it.
fn overlap(text: &str, wanted: &str) -> usize {
    let ends = wanted.char_indices().map(|(at, _)| at).rev();
    ends.into_iter()
        .find(|&length| text.ends_with(&wanted[..length]))
        .unwrap_or(0)
}

/// Takes all but an incomplete last character. Bytes that are no text become `�`.
fn take_complete(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < bytes.len() {
        match std::str::from_utf8(&bytes[at..]) {
            Ok(rest) => {
                text.push_str(rest);
                at = bytes.len();
            }
            Err(error) => {
                let valid = at + error.valid_up_to();
                text.push_str(&String::from_utf8_lossy(&bytes[at..valid]));
                at = valid;
                let Some(wrong) = error.error_len() else {
                    break;
                };
                text.push(char::REPLACEMENT_CHARACTER);
                at += wrong;
            }
        }
    }
    bytes.drain(..at);
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Feeds pieces; gives what was shown, what was held, and whether a stop text ended it.
    fn run(pieces: &[&[u8]], stops: &[&str], hold: Option<&'static str>) -> (Vec<String>, String, bool) {
        let stops: Vec<String> = stops.iter().map(|&stop| stop.to_owned()).collect();
        let mut stream = Stream::new(&stops, hold);
        let mut shown = Vec::new();
        for piece in pieces {
            let (text, ending) = stream.push(piece);
            shown.push(text);
            if ending == Ending::StopText {
                let finished = stream.finish();
                shown.push(finished.shown);
                return (shown, finished.held, true);
            }
        }
        let finished = stream.finish();
        shown.push(finished.shown);
        (shown, finished.held, finished.ending == Ending::StopText)
    }

    #[test]
    fn characters_come_whole() {
        let (shown, ..) = run(&[b"caf\xc3", b"\xa9 \xf0\x9f", b"\x98", b"\x80!"], &[], None);
        assert_eq!(shown, ["caf", "é ", "", "😀!", ""]);
        let (shown, ..) = run(&[b"a\xff", b"b\xe2\x82"], &[], None);
        assert_eq!(shown.concat(), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn stop_texts_are_never_shown_wherever_tokens_end() {
        for (pieces, stops, text, stopped) in [
            (
                &[&b"one\nQ"[..], b"uestion", b": two"][..],
                &["\nQuestion:"][..],
                "one",
                true,
            ),
            (&[b"one\nQ", b"uiet"], &["\nQuestion:"], "one\nQuiet", false),
            (&[b"one\nQ"], &["\nQuestion:"], "one\nQ", false),
            (&[b"aab"], &["ab"], "a", true),
            (&[b"a", b"a", b"b"], &["ab"], "a", true),
            (&[b"x END y", b""], &["y", "END"], "x ", true),
            (&[b"text"], &[""], "text", false),
            (&["é…".as_bytes(), "…".as_bytes()], &["……"], "é", true),
        ] {
            let (shown, _, found) = run(pieces, stops, None);
            assert_eq!((shown.concat().as_str(), found), (text, stopped), "{pieces:?}");
        }
    }

    #[test]
    fn calls_are_held() {
        let hold = Some("<tool_call>");
        let (shown, held, _) = run(&[b"See <tool", b"_call>{}", b"</tool_call>"], &[], hold);
        assert_eq!(
            (shown.concat().as_str(), held.as_str()),
            ("See ", "<tool_call>{}</tool_call>")
        );
        let (shown, held, _) = run(&[b"See <tool", b"box>"], &[], hold);
        assert_eq!((shown.concat().as_str(), held.as_str()), ("See <toolbox>", ""));
        let (shown, held, stopped) = run(&[b"<tool_call>{} END x"], &["END"], hold);
        assert_eq!(
            (shown.concat().as_str(), held.as_str(), stopped),
            ("", "<tool_call>{} ", true)
        );
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[abé\n]{0,24}", cuts in prop::collection::vec(0usize..48, 0..6)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.push(0);
            cuts.push(bytes.len());
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            let (shown, held, _) = run(&pieces, &["ab\n"], Some("éé"));
            let found = shown.concat() + &held;
            let expected = text.split("ab\n").next().unwrap_or_default();
            prop_assert_eq!(found, expected);
        }
    }
}
