//! The report for people: an index and one page per question that was lost. It holds no script and loads nothing.

use std::fmt::Write;

use rag_core::text::markup;

use super::rung::{Class, Rung};
use super::summary::{DiagnosisReport, Slice};
use super::trail::Diagnosis;
use crate::page::page;

const CANNOT_FAIL: &str = "writing to a string cannot fail";

/// The pages of the report on the run `name`, each with its file name; `index.html` is the first.
pub fn report_pages(name: &str, report: &DiagnosisReport) -> Vec<(String, String)> {
    let lost = report.lost();
    let mut pages = vec![("index.html".to_owned(), index(name, report, &lost))];
    for (number, diagnosis) in (1..).zip(&lost) {
        pages.push((file_name(number), question_page(number, lost.len(), diagnosis)));
    }
    pages
}

fn file_name(number: usize) -> String {
    format!("question-{number:04}.html")
}

fn index(name: &str, report: &DiagnosisReport, lost: &[&Diagnosis]) -> String {
    let mut body = String::new();
    let all = &report.all;
    writeln!(
        body,
        "<p>Run <code>{}</code>: {} questions. {} were answered, or declined, rightly. In {} what answers the question never \
         reached the context (retrieval miss: no prompt can mend it); in {} it was there and the answer is wrong or \
         missing (generation miss).</p>",
        markup(name),
        all.questions,
        all.of_class(Class::Ok),
        all.of_class(Class::RetrievalMiss),
        all.of_class(Class::GenerationMiss)
    )
    .expect(CANNOT_FAIL);
    rungs(report, &mut body);
    kinds(report, &mut body);
    body.push_str("<h2>Questions that were lost</h2>\n<table><tr><th>question<th>kind<th>lost<th>right with the passage put in</tr>\n");
    for (number, found) in (1..).zip(lost) {
        writeln!(
            body,
            "<tr><td dir=\"auto\"><a href=\"{}\">{}</a><td>{}<td>{}<td>{}</tr>",
            file_name(number),
            markup(&found.question),
            markup(&found.kind),
            found.rung.map_or("", Rung::meaning),
            mended(found)
        )
        .expect(CANNOT_FAIL);
    }
    body.push_str("</table>\n");
    page("Where answers were lost", &body)
}

fn rungs(report: &DiagnosisReport, body: &mut String) {
    body.push_str(
        "<h2>By box</h2>\n<p class=\"note\">The first box on the way from file to answer that lost it. The last column: how many \
         answers become right when the right passage is put in at that box, of those for which there is one.</p>\n\
         <table><tr><th>lost<th class=\"n\">questions<th class=\"n\">right with the passage put in<th>what to try</tr>\n",
    );
    for rung in Rung::ALL.into_iter().filter(|rung| report.all.on_rung(*rung) > 0) {
        let mended = report.mended.get(&rung);
        writeln!(
            body,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td>{}</tr>",
            rung.meaning(),
            report.all.on_rung(rung),
            mended.map_or("–".to_owned(), |rate| format!("{} of {}", rate.hits, rate.of)),
            markup(rung.remedy())
        )
        .expect(CANNOT_FAIL);
    }
    body.push_str("</table>\n");
}

fn kinds(report: &DiagnosisReport, body: &mut String) {
    body.push_str(
        "<h2>By kind of question</h2>\n<table><tr><th>kind<th class=\"n\">questions<th class=\"n\">ok<th class=\"n\">retrieval \
         miss<th class=\"n\">generation miss</tr>\n",
    );
    let row = |name: &str, slice: &Slice, body: &mut String| {
        let count = |class| slice.of_class(class);
        writeln!(
            body,
            "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}</tr>",
            markup(name),
            slice.questions,
            count(Class::Ok),
            count(Class::RetrievalMiss),
            count(Class::GenerationMiss)
        )
        .expect(CANNOT_FAIL);
    };
    for (kind, slice) in &report.by_kind {
        row(kind, slice, body);
    }
    row("all", &report.all, body);
    body.push_str("</table>\n");
}

fn mended(found: &Diagnosis) -> &'static str {
    match found.mended {
        Some(true) => "yes",
        Some(false) => "no",
        None => "–",
    }
}

fn question_page(number: usize, of: usize, found: &Diagnosis) -> String {
    let mut body = String::new();
    writeln!(
        body,
        "<p class=\"note\">Question {number} of {of} that were lost · id {} · kind {} · <a href=\"index.html\">all</a></p>\n\
         <h2>Answer</h2>\n<blockquote dir=\"auto\">{}</blockquote>",
        markup(&found.id),
        markup(&found.kind),
        markup(&found.answer)
    )
    .expect(CANNOT_FAIL);
    if found.accepted.is_empty() {
        body.push_str(
            "<p>No text is accepted: to decline is right, or any answer from a relevant document.</p>\n",
        );
    } else {
        list(
            "<h2>Accepted</h2>",
            found.accepted.iter().map(String::as_str),
            &mut body,
        );
    }
    body.push_str("<h2>The way from file to answer</h2>\n<ol class=\"ladder\">\n");
    for rung in Rung::ALL {
        let here = if found.rung == Some(rung) {
            " class=\"here\""
        } else {
            ""
        };
        writeln!(body, "<li{here}>{}</li>", rung.meaning()).expect(CANNOT_FAIL);
    }
    body.push_str("</ol>\n");
    list(
        "<h2>What was seen there</h2>",
        found.evidence.iter().map(String::as_str),
        &mut body,
    );
    let sought: Vec<String> = found.sought.iter().map(ToString::to_string).collect();
    if !sought.is_empty() {
        list(
            "<h2>Passages that have the answer</h2>",
            sought.iter().map(String::as_str),
            &mut body,
        );
    }
    let verdict = match found.mended {
        Some(true) => {
            "With the right passage put in at this box, the answer becomes right: this box is what to mend."
        }
        Some(false) => {
            "With the right passage put in at this box, the answer stays wrong: a later box has to be mended as well."
        }
        None => "There was no passage to put in.",
    };
    writeln!(body, "<h2>If it had not been lost there</h2>\n<p>{verdict}</p>").expect(CANNOT_FAIL);
    if let Some(rung) = found.rung {
        writeln!(body, "<p>What to try first: {}.</p>", markup(rung.remedy())).expect(CANNOT_FAIL);
    }
    page(&found.question, &body)
}

fn list<'t>(heading: &str, items: impl Iterator<Item = &'t str>, body: &mut String) {
    writeln!(body, "{heading}\n<ul>").expect(CANNOT_FAIL);
    for item in items {
        writeln!(body, "<li dir=\"auto\">{}</li>", markup(item)).expect(CANNOT_FAIL);
    }
    body.push_str("</ul>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lost_question_has_a_page_and_its_markup_is_text() {
        let found = Diagnosis {
            id: "q<1>".into(),
            question: "<script>alert(1)</script>?".into(),
            kind: "plain".into(),
            class: Class::GenerationMiss,
            rung: Some(Rung::Unused),
            evidence: vec!["a & b".into()],
            sought: vec!["a#0".parse().unwrap()],
            mended: Some(true),
            answer: "<img src=x>".into(),
            accepted: vec!["\"27\"".into()],
        };
        let right = Diagnosis {
            rung: None,
            class: Class::Ok,
            ..found.clone()
        };
        let pages = report_pages("run", &DiagnosisReport::of(vec![found, right]));
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["index.html", "question-0001.html"]);
        for (_, page) in &pages {
            assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
            assert!(page.contains("&lt;script&gt;"), "{page}");
        }
        assert!(
            pages[1]
                .1
                .contains("<li class=\"here\">in the context but not used</li>")
        );
    }
}
