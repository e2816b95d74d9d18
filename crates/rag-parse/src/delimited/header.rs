//! Whether the first row of separated values names the columns.

use crate::table::looks_like_header;

/// True when the first of `rows` names the columns. That is taken for granted of a first row of labels,
/// unless it looks like all others; some columns may have no name where others are over numbers.
pub(super) fn has_header(rows: &[Vec<String>]) -> bool {
    let Some((first, body)) = rows.split_first() else {
        return false;
    };
    (looks_like_header(rows) && !is_one_of_many(first, body)) || has_gaps_over_numbers(first, body)
}

/// Words that are names of columns even where they look like what is below them.
const COLUMN_NAMES: &[&str] = &[
    "name",
    "id",
    "no",
    "number",
    "code",
    "key",
    "value",
    "type",
    "kind",
    "category",
    "class",
    "group",
    "status",
    "state",
    "date",
    "day",
    "month",
    "year",
    "time",
    "city",
    "country",
    "region",
    "place",
    "address",
    "street",
    "phone",
    "email",
    "mail",
    "department",
    "team",
    "role",
    "title",
    "description",
    "note",
    "notes",
    "comment",
    "item",
    "product",
    "price",
    "cost",
    "amount",
    "quantity",
    "qty",
    "total",
    "unit",
    "owner",
    "manager",
    "author",
    "language",
    "grade",
    "level",
    "limit",
    "question",
    "answer",
    "term",
    "meaning",
    "label",
    "text",
    "source",
    "target",
    "customer",
    "supplier",
    "company",
    "person",
    "employee",
    "first",
    "last",
    "surname",
    "gender",
    "age",
    "nummer",
    "datum",
    "ort",
    "stadt",
    "land",
    "preis",
    "menge",
    "art",
    "wert",
    "kunde",
    "abteilung",
    "nom",
    "ville",
    "pays",
    "prix",
    "nombre",
    "ciudad",
    "fecha",
    "precio",
    "data",
    "field",
    "column",
    "service",
    "topic",
    "subject",
];

/// True when every cell of the first row looks like those below it, and none is a usual name of a column:
/// a column then names itself like a row, and taking the row for names would make false statements of all.
fn is_one_of_many(first: &[String], body: &[Vec<String>]) -> bool {
    let below = |column: usize| {
        body.iter()
            .filter_map(move |row| row.get(column))
            .filter(|cell| !cell.is_empty())
    };
    let is_coded =
        |cell: &String| cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().any(char::is_alphabetic);
    let is_like_all = |(column, cell): (usize, &String)| {
        let shape = shape(cell);
        below(column).count() > 1 && below(column).all(|other| self::shape(other) == shape)
    };
    if first
        .iter()
        .enumerate()
        .any(|(column, cell)| is_coded(cell) && is_like_all((column, cell)))
    {
        return true;
    }
    let is_named = |cell: &String| {
        cell.split(|c: char| !c.is_alphanumeric())
            .any(|word| COLUMN_NAMES.contains(&word.to_lowercase().as_str()))
    };
    let is_like_some =
        |(column, cell): (usize, &String)| below(column).any(|other| shape(other) == shape(cell));
    body.len() > 1
        && !first
            .iter()
            .any(|cell| cell.chars().any(|c| c.is_ascii_digit()) || is_named(cell))
        && first.iter().enumerate().all(is_like_some)
}

/// A cell with each run of letters or digits as one of its kind: `A-101` and `B-7` are both `X-9`.
fn shape(cell: &str) -> String {
    let kind = |c: char| match c {
        c if c.is_numeric() => '9',
        c if c.is_uppercase() => 'X',
        c if c.is_alphabetic() => 'x',
        c => c,
    };
    let mut shape: Vec<char> = cell.chars().map(kind).collect();
    shape.dedup();
    shape.into_iter().collect()
}

/// True for labels with gaps between them, one of which is over nothing but numbers.
fn has_gaps_over_numbers(first: &[String], body: &[Vec<String>]) -> bool {
    let is_number = |cell: &String| {
        cell.chars().any(char::is_numeric) && cell.chars().filter(|c| c.is_alphabetic()).count() <= 3
    };
    let is_over_numbers = |column: usize| {
        let below = || {
            body.iter()
                .filter_map(|row| row.get(column))
                .filter(|cell| !cell.is_empty())
        };
        below().next().is_some() && below().all(is_number)
    };
    let filled: Vec<(usize, &String)> = first
        .iter()
        .enumerate()
        .filter(|(_, cell)| !cell.is_empty())
        .collect();
    filled.len() < first.len()
        && filled
            .iter()
            .all(|(_, cell)| cell.chars().any(char::is_alphabetic) && !is_number(cell))
        && filled.iter().any(|(column, _)| is_over_numbers(*column))
}
