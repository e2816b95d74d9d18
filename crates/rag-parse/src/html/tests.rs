//! Pages as they are written, and what becomes of them.

use super::*;

fn blocks(html: &str) -> Vec<(BlockKind, String)> {
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    parse(html.as_bytes(), &config, &mut draft).unwrap();
    let (text, ..) = draft.finish();
    text.blocks
        .iter()
        .map(|b| (b.kind, b.span.slice(&text.text).unwrap().to_owned()))
        .collect()
}

#[test]
fn each_element_becomes_its_kind_of_block() {
    use BlockKind::{Caption, Code, Heading, ListItem, Paragraph, TableRow};
    let cases: &[(&str, &[(BlockKind, &str)])] = &[
        (
            "<h2>A <i>b</i></h2><p>one\n two<br>three</p>four",
            &[
                (Heading, "A b"),
                (Paragraph, "one two\nthree"),
                (Paragraph, "four"),
            ],
        ),
        (
            "<ul><li>a<ul><li>b</li></ul>c</li></ul>",
            &[(ListItem, "a"), (ListItem, "b"), (ListItem, "c")],
        ),
        (
            "<ol start=3><li>a<li>b</ol>",
            &[(ListItem, "3. a"), (ListItem, "4. b")],
        ),
        (
            "<ol start=5><li>a<li value=9>b<li>c</ol><ol type=a><li>d</ol><ol type=I reversed><li>e<li>f</ol>",
            &[
                (ListItem, "5. a"),
                (ListItem, "9. b"),
                (ListItem, "10. c"),
                (ListItem, "a. d"),
                (ListItem, "II. e"),
                (ListItem, "I. f"),
            ],
        ),
        (
            "<p>Rate<sup><a href='#n'>1</a></sup> and fee<a epub:type=noteref href=b.xhtml>2</a>.</p>\
             <aside epub:type=footnote id=n><p>Net.</p></aside><ol><li role=doc-endnote>Gross.</ol>",
            &[
                (Paragraph, "Rate[1] and fee[2]."),
                (BlockKind::Note, "Net."),
                (BlockKind::Note, "1. Gross."),
            ],
        ),
        (
            "<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>+</mo><msup><mi>x</mi><mn>3</mn></msup></math></p>",
            &[(Paragraph, "1/2+x^3")],
        ),
        ("<dl><dt>SLA<dd>Four hours</dl>", &[(ListItem, "SLA: Four hours")]),
        ("<pre>a  b\n c</pre>", &[(Code, "a  b\n c")]),
        (
            "<table><caption>Caps</caption><tr><th>Grade<th>Cap<tr><td>G1<td>145</table>",
            &[(Caption, "Caps"), (TableRow, "Grade G1: cap 145.")],
        ),
        (
            "<nav>menu</nav><script>x()</script><p hidden>no</p><p style='display: none'>no</p><main>yes</main><footer>imprint</footer>",
            &[(Paragraph, "yes")],
        ),
        (
            "<figure><img alt='a pump'><figcaption>Fig. 1</figcaption></figure>",
            &[(Paragraph, "a pump"), (Caption, "Fig. 1")],
        ),
        (
            "<table><tr><td><p>lay</p><table><tr><th>A<th>B<tr><td>1<td>2</table></td></tr></table>",
            &[(Paragraph, "lay"), (TableRow, "A 1: B 2.")],
        ),
        ("", &[]),
    ];
    for (html, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, text)| (*kind, (*text).to_owned()))
            .collect();
        assert_eq!(blocks(html), expected, "{html}");
    }
}

#[test]
fn deep_nesting_is_refused_and_open_paragraphs_are_not() {
    let config = Config::default();
    let mut draft = Draft::new(&config.limits);
    let deep = "<div>".repeat(100_000);
    assert_eq!(
        parse(deep.as_bytes(), &config, &mut draft).unwrap_err().reason,
        "too-deep"
    );
    let open = "<p>x<li>y<td>z".repeat(2_000);
    parse(open.as_bytes(), &config, &mut draft).unwrap();
}
