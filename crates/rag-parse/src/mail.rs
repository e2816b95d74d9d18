//! EML to blocks: subject and addresses, the text of the message, and each attachment a section of its own,
//! read like a file of its format.
//!
//! Of alternatives the plain text is read, unless only HTML says something. Access lists and other
//! metadata inside attachments do not count for the message.

use std::borrow::Cow;

use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use rag_core::document::BlockKind;

use crate::draft::{Draft, clean_line};
use crate::encoding::decode;
use crate::error::Failure;
use crate::format::Format;
use crate::metadata::Metadata;

/// Most attachments in each other, and of one message.
const MAX_DEPTH: usize = 5;
const MAX_PARTS: usize = 1_000;

/// Reads the bytes of an attachment of some name, and of a format if that is known, into a draft; says
/// why it cannot.
pub(crate) type ReadAttachment<'r> =
    dyn Fn(&str, Option<Format>, &[u8], &mut Draft, usize) -> Result<(), Failure> + 'r;

/// Reads a message into `draft`. `depth` counts the attachments around it.
pub(crate) fn parse(
    bytes: &[u8],
    draft: &mut Draft,
    depth: usize,
    read: &ReadAttachment<'_>,
) -> Result<(), Failure> {
    let bytes = with_readable_header(bytes);
    let message = MessageParser::default()
        .parse(&bytes)
        .ok_or_else(|| Failure::lasting("damaged", "it is no readable message; export it again"))?;
    let mut metadata = Metadata::default();
    if depth == 0 {
        metadata.title = message
            .subject()
            .map(clean_line)
            .filter(|subject| !subject.is_empty());
        metadata.updated = message
            .date()
            .map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day));
    }
    let mut reader = MailReader {
        draft,
        depth,
        read,
        parts: 0,
    };
    reader.message(&message);
    if reader.parts > MAX_PARTS {
        let left = reader.parts - MAX_PARTS;
        draft.warn(
            "too-long",
            format!("{left} parts beyond the limit of {MAX_PARTS} were left out"),
        );
    }
    draft.metadata = metadata;
    Ok(())
}

/// The message with a header in UTF-8: old programs write names into it in the encoding of the text.
fn with_readable_header(bytes: &[u8]) -> Cow<'_, [u8]> {
    let ends = [&b"\r\n\r\n"[..], b"\n\n"].map(|gap| bytes.windows(gap.len()).position(|found| found == gap));
    let end = ends.into_iter().flatten().min().unwrap_or(bytes.len());
    let (header, body) = bytes.split_at(end);
    if std::str::from_utf8(header).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let ascii = String::from_utf8_lossy(header).to_ascii_lowercase();
    let declared = ascii
        .split_once("charset=")
        .map(|(_, behind)| behind.trim_start_matches('"'));
    let declared = declared.map(|behind| {
        behind
            .split(['"', ';', '\r', '\n', ' '])
            .next()
            .unwrap_or_default()
    });
    match decode(header, declared) {
        Ok(decoded) => Cow::Owned([decoded.text.as_bytes(), body].concat()),
        Err(_) => Cow::Borrowed(bytes),
    }
}

/// True when bytes begin like a message: lines of header fields, among them two that all messages have.
pub(crate) fn looks_like_message(window: &[u8]) -> bool {
    const FIELDS: &[&str] = &[
        "from",
        "to",
        "date",
        "subject",
        "message-id",
        "received",
        "return-path",
        "mime-version",
        "delivered-to",
        "content-type",
        "reply-to",
        "cc",
        "x-mailer",
    ];
    let text = String::from_utf8_lossy(window);
    let mut known = 0;
    for line in text.lines().take_while(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) || line.starts_with("From ") {
            continue;
        }
        let Some((name, _)) = line.split_once(':').filter(|(name, _)| !name.contains(' ')) else {
            return known > 3;
        };
        known += usize::from(FIELDS.contains(&name.to_ascii_lowercase().as_str()));
    }
    known >= 3
}

struct MailReader<'d, 'r> {
    draft: &'d mut Draft,
    depth: usize,
    read: &'r ReadAttachment<'r>,
    parts: usize,
}

impl MailReader<'_, '_> {
    fn message(&mut self, message: &Message<'_>) {
        let subject = message.subject().map(clean_line).unwrap_or_default();
        self.draft
            .heading(1, if subject.is_empty() { "Message" } else { &subject });
        self.fields(message);
        let bodies = if has_text(message) {
            &message.text_body
        } else {
            &message.html_body
        };
        for id in bodies {
            if let Some(part) = message.part(*id) {
                self.body(part);
            }
        }
        for id in &message.attachments {
            self.parts += 1;
            if let Some(part) = message.part(*id).filter(|_| self.parts <= MAX_PARTS) {
                self.attachment(part);
            }
        }
    }

    fn fields(&mut self, message: &Message<'_>) {
        let mut lines = Vec::new();
        for (name, address) in [
            ("From", message.from()),
            ("To", message.to()),
            ("Cc", message.cc()),
        ] {
            if let Some(text) = address.map(addresses).filter(|text| !text.is_empty()) {
                lines.push(format!("{name}: {text}"));
            }
        }
        if let Some(date) = message.date() {
            lines.push(format!("Date: {}", date.to_rfc3339()));
        }
        self.draft.prose(BlockKind::Paragraph, &lines.join("\n"));
    }

    /// The text of the message itself.
    fn body(&mut self, part: &MessagePart<'_>) {
        match &part.body {
            // It may begin with the header of a message that it forwards and is none for that.
            PartType::Text(text) => self.nested("body.txt", Some(Format::Text), text.as_bytes()),
            PartType::Html(html) => self.nested("body.html", Some(Format::Html), html.as_bytes()),
            _ => {}
        }
    }

    fn attachment(&mut self, part: &MessagePart<'_>) {
        let name = part
            .attachment_name()
            .map(clean_line)
            .filter(|name| !name.is_empty());
        match &part.body {
            PartType::Message(message) if self.depth + 1 < MAX_DEPTH => {
                self.depth += 1;
                self.draft.heading_offset += 1;
                self.message(message);
                self.draft.heading_offset -= 1;
                self.depth -= 1;
            }
            PartType::Message(_) => self
                .draft
                .warn("too-deep", "messages nested deeper were left out"),
            PartType::Text(text) | PartType::Html(text) => {
                let is_html = matches!(part.body, PartType::Html(_));
                let usual = if is_html {
                    "attachment.html"
                } else {
                    "attachment.txt"
                };
                let name = name.unwrap_or_else(|| usual.to_owned());
                self.section(&name, text.as_bytes());
            }
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
                let name = name.unwrap_or_else(|| "attachment".to_owned());
                self.section(&name, bytes);
            }
            PartType::Multipart(_) => {}
        }
    }

    fn section(&mut self, name: &str, bytes: &[u8]) {
        self.draft.heading(2, name);
        self.nested(name, None, bytes);
    }

    /// Reads what is inside below the headings of the message. What cannot be read costs a warning.
    fn nested(&mut self, name: &str, format: Option<Format>, bytes: &[u8]) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let own = std::mem::take(&mut self.draft.metadata);
        let pages = self.draft.pages.take();
        self.draft.heading_offset += 2;
        let result = if self.depth + 1 < MAX_DEPTH {
            (self.read)(name, format, bytes, self.draft, self.depth + 1)
        } else {
            Err(Failure::lasting("too-deep", "it is nested too deep"))
        };
        self.draft.heading_offset -= 2;
        (self.draft.metadata, self.draft.pages) = (own, pages);
        if let Err(failure) = result {
            self.draft
                .warn("attachment", format!("`{name}` was left out: {failure}"));
        }
    }
}

/// True when the plain text says something.
fn has_text(message: &Message<'_>) -> bool {
    message
        .text_body
        .iter()
        .filter_map(|id| message.part(*id))
        .any(|part| matches!(&part.body, PartType::Text(text) if !text.trim().is_empty()))
}

fn addresses(address: &Address<'_>) -> String {
    let one = |address: &mail_parser::Addr<'_>| match (address.name(), address.address()) {
        (Some(name), Some(mail)) => format!("{} <{mail}>", clean_line(name)),
        (name, mail) => name.or(mail).map(clean_line).unwrap_or_default(),
    };
    address.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::{Config, Given, Parser};

    fn texts(mail: &str) -> (Vec<String>, Vec<String>) {
        let parsed = Parser::new(Config::default(), None)
            .parse("a.eml", mail.as_bytes(), &Given::default())
            .unwrap();
        let blocks = parsed.document.blocks.iter();
        let texts = blocks
            .map(|block| parsed.document.block_text(block).to_owned())
            .collect();
        (texts, parsed.diagnostics.into_iter().map(|d| d.reason).collect())
    }

    #[test]
    fn each_part_is_a_section_of_its_own() {
        let mail = "From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\n\
            MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello.\r\n\
            --b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=caps.csv\r\n\r\nGrade,Cap\r\nG1,145\r\n\
            --b\r\nContent-Type: message/rfc822\r\n\r\nFrom: eve@example.com\r\nSubject: Inner\r\n\r\nNested text.\r\n\
            --b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n";
        let (texts, reasons) = texts(mail);
        assert_eq!(
            texts,
            [
                "Café",
                "From: Ada <ada@example.com>\nTo: bob@example.com",
                "Hello.",
                "caps.csv",
                "Grade G1: cap 145.",
                "Inner",
                "From: eve@example.com",
                "Nested text.",
                "a.png"
            ]
        );
        assert_eq!(reasons, ["attachment"]);
    }

    #[test]
    fn an_attachment_cannot_say_who_may_read_the_message() {
        let mail = "From: a@example.com\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
            --b\r\nContent-Type: text/plain\r\n\r\nHello.\r\n--b\r\nContent-Type: text/markdown\r\n\
            Content-Disposition: attachment; filename=a.md\r\n\r\n---\naccess: everyone\n---\ntext\r\n--b--\r\n";
        let config = Config {
            default_access: ["hr"].into_iter().collect(),
            ..Config::default()
        };
        let parsed = Parser::new(config, None)
            .parse("a.eml", mail.as_bytes(), &Given::default())
            .unwrap();
        assert_eq!(parsed.document.access.groups().collect::<Vec<_>>(), ["hr"]);
    }

    #[test]
    fn a_body_that_begins_with_a_line_of_dashes_is_no_front_matter() {
        for body in ["---\nMinutes of Monday.", "---\nkey: value\nMore."] {
            let (texts, reasons) = texts(&format!("From: a@example.com\nSubject: x\n\n{body}\n"));
            assert_eq!(reasons, [""; 0]);
            assert!(texts.concat().contains(&body[4..8]), "{texts:?}");
        }
    }

    #[test]
    fn a_body_that_begins_with_a_forwarded_header_is_read_as_it_stands() {
        let mail = "From: a@example.com\nSubject: x\n\nFrom: c@example.com\nTo: Ada\nDate: Mon\nSubject: Old\n\nText.\n";
        let (texts, _) = texts(mail);
        assert!(texts.concat().contains("Date: Mon"), "{texts:?}");
    }

    #[test]
    fn a_header_in_the_encoding_of_the_text_is_read() {
        let mail = b"From: M\xfcller <m@example.com>\r\nSubject: Gr\xfc\xdfe\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe.\r\n";
        let parsed = Parser::new(Config::default(), None)
            .parse("a.eml", mail, &Given::default())
            .unwrap();
        assert_eq!(
            parsed.document.text,
            "Grüße\n\nFrom: Müller <m@example.com>\n\nGrüße."
        );
    }

    #[test]
    fn messages_are_told_by_their_header() {
        assert!(super::looks_like_message(b"From: a@b\nTo: c@d\nSubject: x\n\nhi"));
        assert!(!super::looks_like_message(
            b"Note: this\nis text about From: and To:"
        ));
    }
}
