//! The styles of a workbook, as far as they decide what a cell displays.

use std::collections::HashMap;

use crate::xml::Element;

/// Number format and weight by style.
#[derive(Debug, Default)]
pub(super) struct Styles {
    formats: Vec<Style>,
}

#[derive(Debug, Default)]
struct Style {
    code: String,
    is_bold: bool,
}

impl Styles {
    pub(super) fn read(part: &Element) -> Self {
        let list = |name| part.child(name).into_iter().flat_map(Element::elements);
        let custom: HashMap<&str, &str> = list("numFmts")
            .filter_map(|format| Some((format.attribute("numFmtId")?, format.attribute("formatCode")?)))
            .collect();
        let bold: Vec<bool> = list("fonts")
            .map(|font| {
                let bold = font.child("b");
                bold.is_some_and(|bold| !matches!(bold.attribute("val"), Some("0" | "false")))
            })
            .collect();
        let style = |style: &Element| {
            let id = style.attribute("numFmtId").unwrap_or("0");
            let font = style.attribute("fontId").and_then(|id| id.parse::<usize>().ok());
            Style {
                code: custom.get(id).copied().unwrap_or_else(|| built_in(id)).to_owned(),
                is_bold: font.and_then(|font| bold.get(font)).copied().unwrap_or(false),
            }
        };
        Self {
            formats: list("cellXfs").map(style).collect(),
        }
    }

    /// The format code of a style; empty for none.
    pub(super) fn code(&self, style: usize) -> &str {
        self.formats.get(style).map_or("", |style| style.code.as_str())
    }

    pub(super) fn is_bold(&self, style: usize) -> bool {
        self.formats.get(style).is_some_and(|style| style.is_bold)
    }
}

/// The codes that files refer to by number alone (ECMA-376 part 1, 18.8.30).
fn built_in(id: &str) -> &'static str {
    match id {
        "1" => "0",
        "2" => "0.00",
        "3" => "#,##0",
        "4" => "#,##0.00",
        "5" => "$#,##0;-$#,##0",
        "6" => "$#,##0;[Red]-$#,##0",
        "7" => "$#,##0.00;-$#,##0.00",
        "8" => "$#,##0.00;[Red]-$#,##0.00",
        "9" => "0%",
        "10" => "0.00%",
        "11" => "0.00E+00",
        "12" => "# ?/?",
        "13" => "# ??/??",
        "14" => "m/d/yy",
        "15" => "d-mmm-yy",
        "16" => "d-mmm",
        "17" => "mmm-yy",
        "18" => "h:mm AM/PM",
        "19" => "h:mm:ss AM/PM",
        "20" => "h:mm",
        "21" => "h:mm:ss",
        "22" => "m/d/yy h:mm",
        "37" => "#,##0;(#,##0)",
        "38" => "#,##0;[Red](#,##0)",
        "39" => "#,##0.00;(#,##0.00)",
        "40" => "#,##0.00;[Red](#,##0.00)",
        "45" => "mm:ss",
        "46" => "[h]:mm:ss",
        "47" => "mm:ss.0",
        "48" => "##0.0E+0",
        _ => "",
    }
}
