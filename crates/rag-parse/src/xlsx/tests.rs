//! Whole workbooks made of the parts that matter.

use super::*;
use crate::archive::tests::pack;
use crate::config::Config;

fn workbook(sheet: &str) -> Vec<u8> {
    let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00%"/></numFmts>
        <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;
    let parts = [
        (
            "_rels/.rels",
            r#"<R><R Id="1" Type="x/officeDocument" Target="xl/workbook.xml"/></R>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<R><R Id="s1" Type="x/worksheet" Target="worksheets/a.xml"/><R Id="st" Type="x/styles" Target="styles.xml"/></R>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook><sheets><sheet name="Rates" r:id="s1"/><sheet name="Old" state="veryHidden" r:id="s2"/></sheets></workbook>"#,
        ),
        ("xl/styles.xml", styles),
        ("xl/worksheets/a.xml", sheet),
        (
            "xl/worksheets/_rels/a.xml.rels",
            r#"<R><R Id="c" Type="x/comments" Target="../comments1.xml"/><R Id="t" Type="x/threadedComment" Target="../t.xml"/>
            <R Id="d" Type="x/drawing" Target="../drawings/d.xml"/></R>"#,
        ),
        (
            "xl/t.xml",
            r#"<T><threadedComment ref="A9"><text>In a thread</text></threadedComment></T>"#,
        ),
        (
            "xl/drawings/d.xml",
            "<d><twoCellAnchor><sp><txBody><p><r><t>Drawn</t></r></p></txBody></sp></twoCellAnchor></d>",
        ),
        (
            "xl/comments1.xml",
            r#"<comments><commentList><comment ref="B3"><text><r><t>Check this</t></r></text></comment><comment ref="A9"><text><t>Copy of a thread</t></text></comment></commentList></comments>"#,
        ),
    ];
    let parts = parts.map(|(name, content)| (name, content.as_bytes()));
    pack(&parts)
}

#[test]
fn a_sheet_becomes_a_section_with_title_table_and_notes() {
    let cell = |place: &str, text: &str| format!(r#"<c r="{place}" t="str"><v>{text}</v></c>"#);
    let sheet = format!(
        r#"<worksheet><sheetData><row r="1">{}</row><row r="2">{}{}</row>
        <row r="3">{}<c r="B3" s="1"><v>0.025</v></c></row><row r="4">{}<c r="B4" s="2"><v>45292</v></c></row></sheetData></worksheet>"#,
        cell("A1", "Rates of 2026"),
        cell("A2", "Kind"),
        cell("B2", "Rate"),
        cell("A3", "Base"),
        cell("A4", "Since")
    );
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    parse(&workbook(&sheet), &config, &mut draft).unwrap();
    let (text, _, _, warnings) = draft.finish();
    let texts: Vec<&str> = text
        .blocks
        .iter()
        .map(|b| b.span.slice(&text.text).unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "Rates",
            "Rates of 2026",
            "Kind Base: rate 2.50%.",
            "Kind Since: rate 1/1/24.",
            "Drawn",
            "Comment on A9: In a thread",
            "Comment on B3: Check this"
        ]
    );
    assert_eq!(text.blocks[2].cells[1].raw.as_deref(), Some("0.025"));
    assert_eq!(warnings[0].reason, "hidden-sheet");
}

#[test]
fn a_last_row_under_a_merge_is_no_note() {
    let number = |place: &str, value: u32| format!(r#"<c r="{place}"><v>{value}</v></c>"#);
    let label = |place: &str, text: &str| format!(r#"<c r="{place}" t="str"><v>{text}</v></c>"#);
    let sheet = format!(
        r#"<worksheet><sheetData><row r="1">{}{}{}</row><row r="2">{}{}</row><row r="3">{}</row></sheetData>
        <mergeCells><mergeCell ref="B2:C3"/></mergeCells></worksheet>"#,
        label("A1", "Grade"),
        label("B1", "Hotel"),
        label("C1", "Meals"),
        number("A2", 8),
        number("B2", 9),
        number("A3", 10),
    );
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    parse(&workbook(&sheet), &config, &mut draft).unwrap();
    let (text, ..) = draft.finish();
    let rows: Vec<&str> = text
        .blocks
        .iter()
        .filter(|block| block.kind == BlockKind::TableRow)
        .map(|block| block.span.slice(&text.text).unwrap())
        .collect();
    assert_eq!(
        rows,
        ["Grade 8: hotel 9, meals 9.", "Grade 10: hotel 9, meals 9."]
    );
}

#[test]
fn years_and_dates_over_numbers_are_a_header_and_hidden_cells_are_reported() {
    let label = |place: &str, text: &str| format!(r#"<c r="{place}" t="str"><v>{text}</v></c>"#);
    let number =
        |place: &str, value: u32, style: u32| format!(r#"<c r="{place}" s="{style}"><v>{value}</v></c>"#);
    let cases = [
        (
            label("A1", "Metric"),
            2023,
            0,
            [
                "Metric Revenue: 2023 10, 2024 12.",
                "Metric Cost: 2023 7, 2024 8.",
            ],
        ),
        (
            String::new(),
            2023,
            0,
            ["Revenue: 2023 10, 2024 12.", "Cost: 2023 7, 2024 8."],
        ),
        (
            label("A1", "Day"),
            45292,
            2,
            [
                "Day Revenue: 1/1/24 10, 1/2/24 12.",
                "Day Cost: 1/1/24 7, 1/2/24 8.",
            ],
        ),
    ];
    for (corner, first, style, expected) in cases {
        let sheet = format!(
            r#"<worksheet><cols><col min="3" max="3" hidden="1"/></cols><sheetData><row r="1">{corner}{}{}</row>
            <row r="2">{}{}{}</row><row r="3" hidden="1">{}{}{}</row></sheetData></worksheet>"#,
            number("B1", first, style),
            number("C1", first + 1, style),
            label("A2", "Revenue"),
            number("B2", 10, 0),
            number("C2", 12, 0),
            label("A3", "Cost"),
            number("B3", 7, 0),
            number("C3", 8, 0),
        );
        let config = Config::default();
        let mut draft = Draft::new(&config.limits);
        parse(&workbook(&sheet), &config, &mut draft).unwrap();
        let (text, _, _, warnings) = draft.finish();
        let rows: Vec<&str> = text
            .blocks
            .iter()
            .filter(|block| block.kind == BlockKind::TableRow)
            .map(|block| block.span.slice(&text.text).unwrap())
            .collect();
        assert_eq!(rows, expected);
        assert!(warnings.iter().any(|warning| warning.reason == "hidden-cells"));
    }
}
