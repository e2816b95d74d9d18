//! The text of a chart: its titles, and a row for each category with the value of every series.

use rag_core::document::BlockKind;

use crate::draft::{Draft, clean_line};
use crate::table::Table;
use crate::xml::Element;

/// Most points of a series that are read, and most series.
const MAX_POINTS: usize = 5_000;
const MAX_SERIES: usize = 200;

/// A chart as text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Chart {
    /// Its own title, then those of its axes.
    titles: Vec<String>,
    table: Table,
}

impl Chart {
    /// Reads the part of a chart.
    pub(crate) fn read(part: &Element) -> Self {
        let mut chart = Self::default();
        let mut series = Vec::new();
        let mut pending: Vec<&Element> = vec![part];
        while let Some(element) = pending.pop() {
            match element.name.as_str() {
                "title" => chart.titles.extend(title(element)),
                "ser" if series.len() < MAX_SERIES => series.push(element),
                "ser" => {}
                _ => pending.extend(element.elements().rev()),
            }
        }
        chart.table = table(&series);
        chart
    }

    /// The titles alone, for charts whose values stand elsewhere in the file.
    pub(crate) fn into_titles(self) -> Vec<String> {
        self.titles
    }

    /// Writes the titles and the rows.
    pub(crate) fn push(self, draft: &mut Draft) {
        for title in &self.titles {
            draft.prose(BlockKind::Caption, title);
        }
        for row in &self.table.rows {
            draft.row(&self.table, row);
        }
    }
}

fn title(element: &Element) -> Option<String> {
    let mut text = String::new();
    let mut pending: Vec<&Element> = vec![element];
    while let Some(element) = pending.pop() {
        match element.name.as_str() {
            "t" | "v" => text.push_str(&element.text()),
            "p" | "br" => {
                text.push(' ');
                pending.extend(element.elements().rev());
            }
            _ => pending.extend(element.elements().rev()),
        }
    }
    let text = clean_line(&text);
    (!text.is_empty()).then_some(text)
}

/// The categories as first column, each series as another.
fn table(series: &[&Element]) -> Table {
    let categories = series.iter().find_map(|one| {
        let points = points(one.child("cat").or_else(|| one.child("xVal"))?);
        (!points.is_empty()).then_some(points)
    });
    let columns: Vec<Vec<(usize, String)>> = series
        .iter()
        .map(|one| points_at(one, &["val", "yVal"]))
        .collect();
    let mut headers = vec![String::new()];
    headers.extend(
        series
            .iter()
            .map(|one| one.child("tx").and_then(title).unwrap_or_default()),
    );
    let categories = categories.unwrap_or_default();
    let count = columns
        .iter()
        .chain([&categories])
        .flatten()
        .map(|(at, _)| at + 1)
        .max();
    let mut rows = vec![vec![String::new(); headers.len()]; count.unwrap_or_default()];
    for (column, points) in [categories].into_iter().chain(columns).enumerate() {
        for (at, text) in points {
            rows[at][column] = text;
        }
    }
    Table {
        headers,
        header_paths: Vec::new(),
        rows: rows
            .into_iter()
            .filter(|row| row[1..].iter().any(|cell| !cell.is_empty()))
            .collect(),
    }
}

fn points_at(series: &Element, names: &[&str]) -> Vec<(usize, String)> {
    let holder = names.iter().find_map(|name| series.child(name));
    holder.map(points).unwrap_or_default()
}

/// The number and text of each point below an element.
fn points(holder: &Element) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut pending: Vec<&Element> = vec![holder];
    while let Some(element) = pending.pop() {
        if element.name != "pt" {
            pending.extend(element.elements().rev());
            continue;
        }
        let at: Option<usize> = element.attribute("idx").and_then(|at| at.parse().ok());
        if let (Some(at), Some(value)) = (at.filter(|at| *at < MAX_POINTS), element.child("v")) {
            found.push((at, plain(&value.text())));
        }
    }
    found
}

/// A stored number without the noise of binary fractions.
fn plain(value: &str) -> String {
    let text = clean_line(value);
    match text.parse::<f64>() {
        Ok(number) if text.len() > 15 => format!("{}", (number * 1e9).round() / 1e9),
        _ => text,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Limits;

    pub(crate) const CHART: &str = "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales by quarter</a:t></a:r></a:p></c:rich></c:tx></c:title>\
        <c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>\
        <c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>Q1</c:v></c:pt><c:pt idx='1'><c:v>Q2</c:v></c:pt></c:strCache></c:strRef></c:cat>\
        <c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>4.2999999999999998</c:v></c:pt><c:pt idx='1'><c:v>5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart>\
        </c:plotArea></c:chart></c:chartSpace>";

    #[test]
    fn a_chart_is_its_titles_and_a_row_for_each_category() {
        let part = crate::xml::parse(CHART.as_bytes(), 99).unwrap();
        let mut draft = Draft::new(&Limits::default());
        Chart::read(&part).push(&mut draft);
        let (text, ..) = draft.finish();
        assert_eq!(text.text, "Sales by quarter\n\nQ1: north 4.3.\n\nQ2: north 5.");
    }

    #[test]
    fn points_beyond_all_bounds_are_left_out() {
        let part = "<ser><val><pt idx='99999999999'><v>1</v></pt><pt idx='0'><v>2</v></pt></val></ser>";
        let part = crate::xml::parse(format!("<c>{part}</c>").as_bytes(), 9).unwrap();
        assert_eq!(Chart::read(&part).table.rows, [["", "2"]]);
    }
}
