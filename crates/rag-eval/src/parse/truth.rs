//! Ground truth files to text and tables: Markdown, plain text, CSV, pandoc's native form, and the XML of
//! the ICDAR 2013 table competition.

use std::path::Path;

use super::tables::{Grid, GridCell};
use crate::EvalError;

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Furthest row or column of a cell that is believed.
const MAX_PLACE: usize = 10_000;

/// What is known to be right about a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// Its text in reading order.
    pub text: Option<String>,
    /// Its tables.
    pub grids: Vec<Grid>,
}

/// Reads the ground truth files at `folder` with these names; forms that are not known are left out.
pub fn read(folder: &Path, names: &[String]) -> Result<Truth, EvalError> {
    let mut truth = Truth::default();
    for name in names.iter().filter(|name| !name.contains('/')) {
        let path = folder.join(name);
        let bytes = fs_err::metadata(&path)?.len();
        if bytes > MAX_BYTES {
            return Err(EvalError::TooLarge {
                path,
                bytes,
                limit: MAX_BYTES,
            });
        }
        let content = String::from_utf8_lossy(&fs_err::read(&path)?).into_owned();
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "md" => {
                truth.grids.extend(markdown_grids(&content));
                truth.text = Some(markdown_text(&content));
            }
            "txt" => truth.text = Some(content),
            "native" => truth.text = Some(native_text(&content)),
            "csv" => truth.grids.push(csv_grid(&content)),
            "xml" if name.ends_with("-str.xml") => truth.grids.extend(competition_grids(&content)),
            _ => {}
        }
    }
    Ok(truth)
}

/// The words of Markdown: comments, rules and the targets of links are no text.
fn markdown_text(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    for line in without_comments(content).lines() {
        let is_rule = !line.contains(char::is_alphanumeric);
        if !is_rule {
            text.push_str(&plain(line));
            text.push('\n');
        }
    }
    text
}

fn without_comments(content: &str) -> String {
    let mut kept = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, behind)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = behind.split_once("-->").map_or("", |(_, behind)| behind);
    }
    kept + rest
}

/// A line without escapes, entities and link targets.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("](") {
        text.push_str(before);
        text.push(' ');
        rest = behind.split_once(')').map_or(behind, |(_, behind)| behind);
    }
    text.push_str(rest);
    let entities = [
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("\\_", "_"),
    ];
    for (written, meant) in entities {
        text = text.replace(written, meant);
    }
    text.replace("**", "").replace(['\\', '`'], "")
}

fn markdown_grids(content: &str) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in content.lines().chain([""]) {
        let line = line.trim();
        if let Some(inner) = line.strip_prefix('|') {
            let is_rule = !line.contains(|c: char| !matches!(c, '|' | '-' | ':' | ' '));
            if !is_rule || line.replace([' ', '|'], "").is_empty() {
                let cells = inner.trim_end_matches('|').split('|');
                rows.push(cells.map(|cell| plain(cell).trim().to_owned()).collect());
            }
        } else if !rows.is_empty() {
            grids.push(Grid::of_rows(&std::mem::take(&mut rows), None));
        }
    }
    grids
}

/// The strings of pandoc's native form: `Str "a",Space,Str "b"`.
fn native_text(content: &str) -> String {
    let mut text = String::new();
    for piece in content.split("Str \"").skip(1) {
        let mut characters = piece.chars();
        while let Some(c) = characters.next().filter(|c| *c != '"') {
            match c {
                '\\' => text.push(native_escape(&mut characters)),
                c => text.push(c),
            }
        }
        text.push(' ');
    }
    text
}

/// A character written by its number, as `\8217`, or itself.
fn native_escape(characters: &mut std::str::Chars<'_>) -> char {
    let digits: String = characters
        .as_str()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    if digits.is_empty() {
        return characters.next().unwrap_or(' ');
    }
    let _ = characters.nth(digits.len() - 1);
    digits.parse().ok().and_then(char::from_u32).unwrap_or(' ')
}

fn csv_grid(content: &str) -> Grid {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut is_quoted = false;
    let mut characters = content.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' | '\r' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                if row.iter().any(|cell| !cell.is_empty()) {
                    rows.push(std::mem::take(&mut row));
                }
                row.clear();
            }
            c => cell.push(c),
        }
    }
    row.push(cell);
    rows.push(row);
    Grid::of_rows(&rows, None)
}

/// The tables of a `-str.xml` file, whose elements are known and never nest in themselves.
fn competition_grids(content: &str) -> Vec<Grid> {
    let mut grids: Vec<Grid> = Vec::new();
    for table in content.split("<table").skip(1) {
        for region in table.split("<region").skip(1) {
            let place = |name| attribute(region, name).unwrap_or(0);
            let (row_shift, column_shift) = (place("row-increment"), place("col-increment"));
            let mut grid = Grid {
                page: attribute(region, "page").and_then(|page| u32::try_from(page).ok()),
                cells: Vec::new(),
            };
            for cell in region.split("<cell").skip(1) {
                grid.cells.extend(competition_cell(cell, row_shift, column_shift));
            }
            grids.push(grid);
        }
    }
    grids
}

fn competition_cell(cell: &str, row_shift: usize, column_shift: usize) -> Option<GridCell> {
    let (tag, body) = cell.split_once('>')?;
    let row = attribute(tag, "start-row")?;
    let column = attribute(tag, "start-col")?;
    let last = |name, first: usize| attribute(tag, name).unwrap_or(first).max(first);
    let text = body.split_once("<content>")?.1.split_once("</content>")?.0;
    Some(GridCell {
        rows: (row + row_shift, last("end-row", row) + row_shift),
        columns: (column + column_shift, last("end-col", column) + column_shift),
        text: plain(text),
    })
}

/// A number among the attributes before the first `>`.
fn attribute(tag: &str, name: &str) -> Option<usize> {
    let tag = tag.split('>').next()?;
    let at = tag.find(&format!(" {name}="))?;
    let value = tag.get(at + name.len() + 3..)?;
    let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|number| *number <= MAX_PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        assert_eq!(
            markdown_text("# A &amp; b\n<!-- image -->\n| - |\nsee [it](http://x)"),
            "# A & b\nsee [it \n"
        );
        assert_eq!(
            native_text(r#"[Para [Str "a\8217b",Space,Str "c\"d"]]"#),
            "a’b c\"d "
        );
        assert_eq!(csv_grid("a,\"b,\"\"c\"\nd,e").cells.len(), 4);
        let grids = markdown_grids("| a | b |\n| - | - |\n| 1 | 2 |\n\ntext");
        assert_eq!((grids.len(), grids[0].cells.len()), (1, 4));
    }

    #[test]
    fn competition_files_give_spans_and_pages() {
        let xml = "<table id='1'><region id='1' col-increment='1' row-increment='0' page='2'>\
                   <cell id='1' start-row='0' start-col='1' end-col='2'><content>a &amp; b</content></cell>\
                   </region></table>";
        let grids = competition_grids(xml);
        assert_eq!(grids[0].page, Some(2));
        assert_eq!(grids[0].cells[0].columns, (2, 3));
        assert_eq!(grids[0].cells[0].text, "a & b");
    }
}
