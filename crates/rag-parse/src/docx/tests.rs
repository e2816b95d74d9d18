//! Tests over small packages made here.

use rag_core::document::{Block, BlockKind};

use crate::archive::tests::pack;
use crate::config::Config;
use crate::draft::Draft;
use crate::error::Failure;

const RELS: &str = "<r><Relationship Id='r1' Type='x/officeDocument' Target='word/document.xml'/></r>";
const PART_RELS: &str = "<r><Relationship Id='s' Type='x/styles' Target='styles.xml'/>\
    <Relationship Id='n' Type='x/numbering' Target='numbering.xml'/>\
    <Relationship Id='f' Type='x/footnotes' Target='/word/footnotes.xml'/>\
    <Relationship Id='c' Type='x/comments' Target='comments.xml'/>\
    <Relationship Id='ch' Type='x/chart' Target='charts/chart1.xml'/>\
    <Relationship Id='h' Type='x/aFChunk' Target='chunk.html'/></r>";
const STYLES: &str = "<w:styles><w:style w:styleId='H1'><w:name w:val='heading 1'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>\
    <w:style w:styleId='Mine'><w:name w:val='My head'/><w:basedOn w:val='H2'/></w:style>\
    <w:style w:styleId='H2'><w:name w:val='Kop 2'/><w:pPr><w:outlineLvl w:val='1'/></w:pPr></w:style></w:styles>";
const NUMBERING: &str = "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl></w:abstractNum>\
    <w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText w:val='•'/></w:lvl></w:abstractNum>\
    <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num></w:numbering>";
const NOTES: &str = "<w:footnotes><w:footnote w:id='0' w:type='separator'><w:p/></w:footnote>\
    <w:footnote w:id='2'><w:p><w:r><w:t>See the annex.</w:t></w:r></w:p></w:footnote>\
    <w:footnote w:id='3'><w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:footnote></w:footnotes>";
const COMMENTS: &str =
    "<w:comments><w:comment w:id='0'><w:p><w:r><w:t>Check this.</w:t></w:r></w:p></w:comment></w:comments>";

fn package(body: &str) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    pack(&[
        ("_rels/.rels", RELS.as_bytes()),
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", PART_RELS.as_bytes()),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/numbering.xml", NUMBERING.as_bytes()),
        ("word/footnotes.xml", NOTES.as_bytes()),
        ("word/comments.xml", COMMENTS.as_bytes()),
        ("word/charts/chart1.xml", crate::chart::tests::CHART.as_bytes()),
        ("word/chunk.html", b"<p>Included <b>text</b>.</p>"),
        ("docProps/core.xml", b"<c><dc:title>Core title</dc:title><dcterms:modified>2026-03-01T10:00:00Z</dcterms:modified></c>"),
        ("docProps/custom.xml", b"<p><property name='Access'><vt:lpwstr>hr, exec</vt:lpwstr></property></p>"),
    ])
}

fn read(body: &str) -> Result<(Draft, Vec<(BlockKind, String)>), Failure> {
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    super::parse(&package(body), &config, &mut draft)?;
    let metadata = draft.metadata.clone();
    let (text, ..) = draft.finish();
    let slice = |block: &Block| (block.kind, block.span.slice(&text.text).unwrap().to_owned());
    let blocks = text.blocks.iter().map(slice).collect();
    let mut kept = Draft::new(&config.limits);
    kept.metadata = metadata;
    Ok((kept, blocks))
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

fn paragraph(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{}</w:p>", run(text))
}

#[test]
fn each_element_becomes_its_kind_of_block() {
    use BlockKind::{Heading, ListItem, Note, Paragraph, TableRow};
    let style = |name: &str| format!("<w:pStyle w:val='{name}'/>");
    let list = |id: u32| format!("<w:numPr><w:ilvl w:val='0'/><w:numId w:val='{id}'/></w:numPr>");
    let cell = |text: &str, properties: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>",
            paragraph("", text)
        )
    };
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let cases: Vec<(String, Vec<(BlockKind, &str)>)> = vec![
        (paragraph(&style("H1"), "Scope") + &paragraph(&style("H1"), "Terms"), vec![(Heading, "1 Scope"), (Heading, "2 Terms")]),
        (paragraph(&style("Mine"), "Part"), vec![(Heading, "Part")]),
        (paragraph(&style("Heading3"), "No style part entry"), vec![(Heading, "No style part entry")]),
        (paragraph(&list(1), "a") + &paragraph(&list(1), "b") + &paragraph(&list(2), "c"), vec![(ListItem, "1. a"), (ListItem, "2. b"), (ListItem, "c")]),
        (
            format!("<w:p>{}<w:r><w:footnoteReference w:id='2'/></w:r>{}</w:p>", run("Claim"), run(" holds.")),
            vec![(Paragraph, "Claim[1] holds."), (Note, "[1] See the annex.")],
        ),
        (format!("<w:p>{}<w:r><w:commentReference w:id='0'/></w:r></w:p>", run("Text.")), vec![(Paragraph, "Text."), (Note, "Comment: Check this.")]),
        (
            format!("<w:p>{}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>{}</w:ins></w:p>", run("The "), run("new")),
            vec![(Paragraph, "The new")],
        ),
        (
            "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>One </w:t></w:r></w:p>".to_owned() + &paragraph("", "two."),
            vec![(Paragraph, "One two.")],
        ),
        ("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>seen</w:t><w:tab/><w:t>x</w:t></w:r></w:p>".to_owned(), vec![(Paragraph, "seen x")]),
        (
            format!("<w:tbl>{}{}{}</w:tbl>", row(&[cell("City", ""), cell("Rate", "")]), row(&[cell("Brno", "<w:vMerge w:val='restart'/>"), cell("1", "")]), row(&[cell("", "<w:vMerge/>"), cell("2", "")])),
            vec![(TableRow, "City Brno: rate 1."), (TableRow, "City Brno: rate 2.")],
        ),
        (
            format!(
                "<w:p><w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='1'/></w14:checkbox></w:sdtPr>\
                 <w:sdtContent>{}</w:sdtContent></w:sdt>{}</w:p>",
                run("☒"),
                run(" Design")
            ),
            vec![(Paragraph, "[x] Design")],
        ),
        (format!("<w:tbl>{}</w:tbl>", row(&[cell("Framed", "")])), vec![(Paragraph, "Framed")]),
        (format!("<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt><w:altChunk r:id='h'/>", paragraph("", "In a control")), vec![(Paragraph, "In a control"), (Paragraph, "Included text.")]),
        (
            "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
             <mc:Fallback><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>".to_owned(),
            vec![(Paragraph, "Boxed")],
        ),
    ];
    check(cases);
}

fn check(cases: Vec<(String, Vec<(BlockKind, &str)>)>) {
    for (body, expected) in cases {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(read(&body).unwrap().1, expected, "{body}");
    }
}

#[test]
fn what_stands_in_cells_notes_and_formulas_is_kept() {
    use BlockKind::{Caption, Note, Paragraph, TableRow};
    let list = |id: u32| format!("<w:numPr><w:ilvl w:val='0'/><w:numId w:val='{id}'/></w:numPr>");
    let cell = |text: &str, properties: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>",
            paragraph("", text)
        )
    };
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let del_mark = |text: &str| paragraph("<w:rPr><w:del/></w:rPr>", text);
    check(vec![
        (
            // What hangs on a cell comes behind the table; what is referred to twice comes once.
            format!(
                "<w:tbl>{}<w:tr>{}<w:tc><w:p>{}<w:r><w:footnoteReference w:id='2'/></w:r></w:p></w:tc></w:tr></w:tbl>\
                 <w:p>{}<w:r><w:footnoteReference w:id='2'/></w:r></w:p>",
                row(&[cell("City", ""), cell("Rate", "")]),
                cell("Brno", ""),
                run("120"),
                run("So")
            ),
            vec![
                (TableRow, "City Brno: rate 120[1]."),
                (Note, "[1] See the annex."),
                (Paragraph, "So[1]"),
            ],
        ),
        (
            format!(
                "<w:tbl>{}<w:tr>{}<w:tc>{}{}<w:p><w:r><w:txbxContent>{}</w:txbxContent></w:r></w:p></w:tc></w:tr></w:tbl>",
                row(&[cell("City", ""), cell("Steps", "")]),
                cell("Brno", ""),
                paragraph(&list(1), "pay"),
                paragraph(&list(1), "go"),
                paragraph("", "Boxed")
            ),
            vec![(TableRow, "City Brno: steps 1. pay 2. go Boxed.")],
        ),
        (
            format!("{}<w:tbl>{}</w:tbl>", del_mark("Before."), row(&[cell("a", ""), cell("b", "")])),
            vec![(Paragraph, "Before."), (TableRow, "a: b.")],
        ),
        (paragraph("", "First.") + &del_mark("Last."), vec![(Paragraph, "First."), (Paragraph, "Last.")]),
        (
            format!("<w:p>{}<w:r><w:footnoteReference w:id='3'/></w:r></w:p>", run("Sum")),
            vec![(Paragraph, "Sum[1]"), (Note, "[1] one two")],
        ),
        (
            "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b+c</m:t></m:r></m:den></m:f>\
             <m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>".to_owned(),
            vec![(Paragraph, "a/(b+c)x^2")],
        ),
        (
            "<w:p><w:r><w:drawing><c:chart r:id='ch'/></w:drawing></w:r></w:p>".to_owned(),
            vec![
                (Caption, "Sales by quarter"),
                (TableRow, "Q1: north 4.3."),
                (TableRow, "Q2: north 5."),
            ],
        ),
    ]);
}

#[test]
fn properties_are_metadata() {
    let (draft, _) = read(&paragraph("", "x")).unwrap();
    assert_eq!(draft.metadata.updated.as_deref(), Some("2026-03-01T10:00:00Z"));
    assert_eq!(
        draft.metadata.access.unwrap().groups().collect::<Vec<_>>(),
        ["exec", "hr"]
    );
}

#[test]
fn hostile_packages_are_failures() {
    let deep = "<w:p>".repeat(5_000) + &"</w:p>".repeat(5_000);
    assert_eq!(read(&deep).unwrap_err().reason, "too-deep");
    let config = Config::default();
    let bare = pack(&[("other.txt", b"x")]);
    let failure = super::parse(&bare, &config, &mut Draft::new(&config.limits)).unwrap_err();
    assert_eq!(failure.reason, "damaged");
}

#[test]
fn spans_are_repeated_within_a_bound() {
    let cell = "<w:tc><w:tcPr><w:gridSpan w:val='200'/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>";
    let table = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell.repeat(20_000));
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    super::parse(&package(&table), &config, &mut draft).unwrap();
    let (.., warnings) = draft.finish();
    assert!(warnings.iter().any(|warning| warning.reason == "limit"));
}
