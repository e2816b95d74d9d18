//! Access lists at the beginning of a text that has no front matter, or more of it than was read: behind
//! another kind of rule, in a comment, or as the first lines themselves.

use super::front_matter::{first_line, skip_comments, skip_unseen, visible};
use super::names::{ACCESS, fold, is_near_access};

/// Lines behind a rule among which an access list is looked for.
const MAX_LINES: usize = 64;

/// Longest line that is looked at, in bytes; an access list is no paragraph.
const MAX_LINE_BYTES: usize = 1024;

/// Punctuation in a row, from which on a line is a rule.
const RULE_CHARACTERS: usize = 3;

/// The first line at the beginning of `text` that is most likely an access list which nobody has read.
pub(super) fn stray_access(text: &str) -> Option<String> {
    let body = skip_comments(text);
    let comments = &text[..text.len() - body.len()];
    let found = comments
        .split(['\n', '\r'])
        .map(visible)
        .find(|line| names_access(line));
    found.or_else(|| behind_rule(body)).or_else(|| first_fields(body))
}

/// An access list in the block behind a first line that is a rule, a fence or a brace. Lines of comment
/// may stand before it.
fn behind_rule(text: &str) -> Option<String> {
    let mut rest = text;
    while rest.starts_with(['#']) || rest.starts_with("//") {
        rest = skip_unseen(first_line(rest).1);
    }
    let (line, behind) = first_line(rest);
    let line = visible(line);
    let is_wanted = match line.starts_with('{') {
        true => names_access_in_json,
        false if is_rule(&line) => names_access,
        false => return None,
    };
    std::iter::once(line)
        .chain(paragraph(skip_unseen(behind), MAX_LINES))
        .find(|line| is_wanted(line))
}

/// An `access` line when the first paragraph is nothing but `name: value` lines, as mail headers are,
/// and the value is made of names. A sentence about access is none.
fn first_fields(text: &str) -> Option<String> {
    let lines: Vec<String> = paragraph(text, MAX_LINES).collect();
    let is_header = lines.iter().all(|line| field(line).is_some());
    let is_list = |line: &&String| {
        field(line).is_some_and(|(name, value)| {
            let value = value.trim().trim_matches(['[', ']']);
            fold(name) == ACCESS
                && value
                    .split(',')
                    .all(|group| is_name(group.trim().trim_matches(['"', '\''])))
        })
    };
    lines.iter().find(is_list).filter(|_| is_header).cloned()
}

/// The lines up to the first blank one, at most `limit`, as people see them.
fn paragraph(text: &str, limit: usize) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, behind) = first_line(rest);
        rest = behind;
        let end = line.floor_char_boundary(MAX_LINE_BYTES);
        Some(visible(&line[..end])).filter(|line| !line.is_empty())
    })
    .take(limit)
}

/// True for a row of one mark of punctuation, alone or before other text, and for dashes of any length.
fn is_rule(line: &str) -> bool {
    let mut characters = line.chars().filter(|c| !c.is_whitespace());
    let Some(first) = characters.next().filter(|c| !c.is_alphanumeric()) else {
        return false;
    };
    let more = characters.take_while(|c| *c == first).count();
    more + 1 >= RULE_CHARACTERS || matches!(first, '\u{2010}'..='\u{2015}' | '\u{2212}' | '%')
}

fn names_access(line: &str) -> bool {
    field(line).is_some_and(|(name, _)| fold(name) == ACCESS || is_near_access(name))
}

/// Likewise for a line of JSON, where many a file has groups and permissions of its own.
fn names_access_in_json(line: &str) -> bool {
    fold(line).contains("\"access\"")
}

/// Name and value of a line such as `name: value`, `"name": value` or `name = value`; the name is one word.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once([':', '='])?;
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    is_name(name).then_some((name, value))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_list_behind_another_rule_or_in_a_comment_is_noticed() {
        for text in [
            "----\naccess: hr\n----\nSecret",
            "-----\n\ntitle: x\naccess: hr\n",
            "***\nAccess = hr\n***\n",
            "- - -\naccess: hr\n",
            "\u{2014}\naccess: hr\n\u{2014}\n",
            ";;;\n{\n\"access\": [\"hr\"]\n}\n;;;\n",
            "```yaml\naccess: hr\n```\n",
            "{\"access\": [\"hr\"]}",
            "{\"title\": \"x\", \"Access\": [\"hr\"]}",
            "{\n  \"title\": \"x\",\n  \"access\": [\"hr\"]\n}\nSecret",
            "<!--\naccess: hr\n-->\nSecret",
            "<!-- access: hr -->\nSecret",
            "# by Ada\n// note\n---\nacess: hr\n---\n",
            "access: hr\n\nSecret",
            "Title: x\nAccess: [hr, 'exec']\n\nSecret",
            "----\rgroups: hr\r----\r",
        ] {
            assert!(stray_access(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn prose_about_access_is_text() {
        for text in [
            "Access: by badge, from nine to five.\n",
            "Access to the lab\n\naccess: hr\n",
            "Title: x\nA sentence about access.\n",
            "=====\nACCESS\n=====\n\nText",
            "-----\nWho has access: see below.\n",
            "# Access\n\nText: more",
            "{x}",
            "---",
            "",
        ] {
            assert_eq!(stray_access(text), None, "{text:?}");
        }
    }
}
