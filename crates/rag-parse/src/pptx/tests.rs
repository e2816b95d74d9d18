//! Whole presentations made of the parts that matter.

use super::*;
use crate::archive::tests::pack;

fn blocks(slide: &str) -> Vec<(BlockKind, Option<u32>, String)> {
    let slide = format!("<p:sld><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>");
    let parts: [(&str, &str); 7] = [
        (
            "_rels/.rels",
            "<R><R Id='1' Type='x/officeDocument' Target='ppt/presentation.xml'/></R>",
        ),
        (
            "ppt/presentation.xml",
            "<p><sldIdLst><sldId id='256' r:id='s'/><sldId id='257' r:id='gone'/></sldIdLst></p>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<R><R Id='s' Type='x/slide' Target='slides/slide1.xml'/></R>",
        ),
        ("ppt/slides/slide1.xml", &slide),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            "<R><R Id='n' Type='x/notesSlide' Target='../notesSlides/n.xml'/><R Id='c' Type='x/chart' Target='../charts/c.xml'/></R>",
        ),
        ("ppt/charts/c.xml", crate::chart::tests::CHART),
        (
            "ppt/notesSlides/n.xml",
            "<n><cSld><spTree><sp><nvSpPr><nvPr><ph type='body'/></nvPr></nvSpPr><txBody><p><r><t>Say hello.</t></r></p></txBody></sp></spTree></cSld></n>",
        ),
    ];
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    let parts = parts.map(|(name, content)| (name, content.as_bytes()));
    parse(&pack(&parts), &config, &mut draft).unwrap();
    let (text, ..) = draft.finish();
    let block = |block: &rag_core::document::Block| {
        (
            block.kind,
            block.page,
            block.span.slice(&text.text).unwrap().to_owned(),
        )
    };
    text.blocks.iter().map(block).collect()
}

fn shape(placeholder: &str, paragraphs: &str) -> String {
    let placeholder = if placeholder.is_empty() {
        String::new()
    } else {
        format!("<ph type='{placeholder}'/>")
    };
    format!("<sp><nvSpPr><nvPr>{placeholder}</nvPr></nvSpPr><txBody>{paragraphs}</txBody></sp>")
}

#[test]
fn a_slide_is_a_section_with_lists_tables_and_notes() {
    use BlockKind::{Heading, ListItem, Note, Paragraph, TableRow};
    let slide = [
        shape("body", "<p><r><t>First </t></r><r><t>point</t></r></p><p><pPr><buAutoNum type='arabicPeriod'/></pPr><r><t>one</t></r></p>"),
        shape("title", "<p><r><t>Plan</t></r><br/><r><t>2026</t></r></p>"),
        shape("ftr", "<p><r><t>Confidential</t></r></p>"),
        format!("<grpSp>{}</grpSp>", shape("", "<p><r><t>In a group</t></r></p>")),
        "<graphicFrame><graphic><graphicData><tbl><tblPr firstRow='1'/>\
         <tr><tc gridSpan='2'><txBody><p><r><t>Grade</t></r></p></txBody></tc><tc hMerge='1'/></tr>\
         <tr><tc><txBody><p><r><t>G1</t></r></p></txBody></tc><tc><txBody><p><r><t>145</t></r></p></txBody></tc></tr>\
         </tbl></graphicData></graphic></graphicFrame>"
            .to_owned(),
    ];
    let expected = [
        (Heading, "Plan 2026"),
        (ListItem, "First point"),
        (ListItem, "1. one"),
        (Paragraph, "In a group"),
        (TableRow, "Grade G1: grade 145."),
        (Note, "Say hello."),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, text)| (*kind, Some(1), (*text).to_owned()))
        .collect();
    assert_eq!(blocks(&slide.concat()), expected);
}

#[test]
fn charts_powers_and_contents_that_only_the_fallback_has_are_read() {
    use BlockKind::{Caption, Note, Paragraph, TableRow};
    let slide = [
        shape(
            "",
            "<p><r><t>E=mc</t></r><r><rPr baseline='30000'/><t>2</t></r></p>",
        ),
        format!(
            "<AlternateContent><Choice><pic/></Choice><Fallback>{}</Fallback></AlternateContent>",
            shape("", "<p><r><t>Fallback</t></r></p>")
        ),
        "<graphicFrame><graphic><graphicData><c:chart r:id='c'/></graphicData></graphic></graphicFrame>"
            .to_owned(),
    ];
    let expected = [
        (Paragraph, "E=mc^2"),
        (Paragraph, "Fallback"),
        (Caption, "Sales by quarter"),
        (TableRow, "Q1: north 4.3."),
        (TableRow, "Q2: north 5."),
        (Note, "Say hello."),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, text)| (*kind, Some(1), (*text).to_owned()))
        .collect();
    assert_eq!(blocks(&slide.concat()), expected);
}
