//! Server-sent events: bytes as they arrive to events, as the HTML standard describes them
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>), without ids and reconnection.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The `event:` line; empty when there is none.
    pub(super) name: String,
    /// The `data:` lines, joined by line feeds.
    pub(super) data: String,
}

/// An event is larger than the parser's limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventTooLarge;

/// Collects events from pieces that may be split at any byte.
#[derive(Debug)]
pub(super) struct Parser {
    line: Vec<u8>,
    name: String,
    data: String,
    /// The last byte was a carriage return, so a line feed now belongs to it.
    after_return: bool,
    first_line: bool,
    limit: usize,
}

impl Parser {
    /// A parser of events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            name: String::new(),
            data: String::new(),
            after_return: false,
            first_line: true,
            limit,
        }
    }

    /// Takes the next bytes and gives the events that they complete. What stands behind the last blank line
    /// when the bytes end is no event.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, EventTooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ if self.line.len() + self.name.len() + self.data.len() >= self.limit => {
                    return Err(EventTooLarge);
                }
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let mut line = &*line;
        if std::mem::replace(&mut self.first_line, false) {
            line = line.trim_start_matches('\u{feff}');
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            // A comment (empty field), an id, a time to reconnect, or something of the future.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        Some(Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(pieces: &[&[u8]]) -> Vec<Event> {
        let mut parser = Parser::new(1 << 20);
        let events = pieces.iter().flat_map(|piece| parser.push(piece).unwrap());
        events.collect()
    }

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.into(),
            data: data.into(),
        }
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let cases: &[(&str, &[Event])] = &[
            ("data: a\n\n", &[event("", "a")]),
            ("event: ping\r\ndata: {}\r\n\r\n", &[event("ping", "{}")]),
            ("data: a\rdata: b\r\r", &[event("", "a\nb")]),
            (": a comment\n\ndata:a\n\n", &[event("", "a")]),
            ("data:  two spaces\n\n", &[event("", " two spaces")]),
            ("data\n\n", &[event("", "")]),
            ("event: alone\n\ndata: a\n\n", &[event("", "a")]),
            ("id: 7\nretry: 9\nnew: x\ndata: a\n\n", &[event("", "a")]),
            ("\u{feff}data: a\n\n", &[event("", "a")]),
            ("data: a: b\n\n", &[event("", "a: b")]),
            ("data: unfinished\n", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&parse(&[text.as_bytes()]), expected, "{text:?}");
        }
    }

    #[test]
    fn an_endless_line_and_an_endless_event_are_refused() {
        assert_eq!(Parser::new(16).push(&[b'x'; 17]), Err(EventTooLarge));
        let lines = b"data: abc\n".repeat(9);
        assert_eq!(Parser::new(16).push(&lines), Err(EventTooLarge));
        assert_eq!(
            Parser::new(16).push(&b"data: abc\n\n".repeat(9)).unwrap().len(),
            9
        );
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_split_does_not_matter(
            lines in prop::collection::vec("(data|event|id|): ?[a-zé😀:]{0,6}|", 0..12),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r"]), 12),
            splits in prop::collection::vec(0_usize..200, 0..8),
        ) {
            let text: String = lines.iter().zip(&ends).flat_map(|(line, end)| [line.as_str(), end]).collect();
            let bytes = text.as_bytes();
            let mut splits: Vec<usize> = splits.into_iter().map(|at| at.min(bytes.len())).collect();
            splits.extend([0, bytes.len()]);
            splits.sort_unstable();
            let pieces: Vec<&[u8]> = splits.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(parse(&pieces), parse(&[bytes]));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Parser::new(64).push(&bytes);
        }
    }
}
