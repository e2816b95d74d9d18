//! The report on several runs: their figures side by side, drawn and in a table, and what each of them lost.

use std::fmt::Write;

use rag_core::text::markup;

use crate::diagnosis::{Class, DiagnosisReport};
use crate::page::page;

const CANNOT_FAIL: &str = "writing to a string cannot fail";

/// One run of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedRun {
    /// Its name.
    pub name: String,
    /// The folder of its own pages, beside the report's.
    pub folder: String,
    /// Its figures: name, and mean where there is one.
    pub metrics: Vec<(String, Option<f64>)>,
    /// What it lost.
    pub diagnosis: DiagnosisReport,
}

/// A figure of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedFigure {
    /// Its file, beside the report's.
    pub file: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// The figure as SVG.
    pub svg: String,
}

/// What the columns of the table mean.
const LEGEND: &str = "<details><summary>What the columns say</summary><ul>\
    <li><b>right</b>: share of the questions answered rightly with a citation that holds, or declined where nothing answers them\
    <li><b>correct_cited</b>: the same of the questions that something answers\
    <li><b>declined_rightly</b>: share declined of the questions that nothing answers\
    <li><b>faithfulness</b>: share of the sentences said that a checked citation supports\
    <li><b>nDCG@10</b>, <b>R@10</b>: ranking of the relevant documents among the first ten handed to the generator: how high \
    they stand (1 is best), and what share of them is there\
    <li><b>fused R@10</b>: the same share before a reranker reads them\
    <li><b>AUROC</b>: chance that a question with an answer is answered with more confidence than one without (0.5 is guessing)\
    <li><b>retrieval misses</b>, <b>generation misses</b>: wrong answers lost before and after the passage reached the generator\
    </ul></details>\n";

/// The first page of the report.
pub fn report_page(runs: &[ReportedRun], figures: &[ReportedFigure]) -> String {
    let mut body = String::from(
        "<p>Each run asked the same labelled questions. <b>right</b> is the share of questions that were answered rightly \
         with a citation that holds, or declined where nothing answers them. A dash means that the value could not be \
         computed, which is not 0.</p>\n",
    );
    table(runs, &mut body);
    body.push_str(LEGEND);
    for figure in figures {
        let (file, caption) = (markup(&figure.file), markup(&figure.caption));
        writeln!(
            body,
            "<figure><img src=\"{file}\" alt=\"{caption}\" style=\"max-width:100%;background:#fff\"><figcaption>{caption}</figcaption></figure>"
        )
        .expect(CANNOT_FAIL);
    }
    page("Runs compared", &body)
}

fn table(runs: &[ReportedRun], body: &mut String) {
    body.push_str("<table><tr><th>run<th class=\"n\">questions");
    for (name, _) in runs.first().map(|run| run.metrics.as_slice()).unwrap_or_default() {
        write!(body, "<th class=\"n\">{}", markup(name)).expect(CANNOT_FAIL);
    }
    body.push_str("<th class=\"n\">retrieval misses<th class=\"n\">generation misses</tr>\n");
    for run in runs {
        let all = &run.diagnosis.all;
        write!(
            body,
            "<tr><td><a href=\"{}/index.html\">{}</a><td class=\"n\">{}",
            markup(&run.folder),
            markup(&run.name),
            all.questions
        )
        .expect(CANNOT_FAIL);
        for (_, mean) in &run.metrics {
            let cell = mean.map_or("–".to_owned(), |mean| format!("{mean:.3}"));
            write!(body, "<td class=\"n\">{cell}").expect(CANNOT_FAIL);
        }
        writeln!(
            body,
            "<td class=\"n\">{}<td class=\"n\">{}</tr>",
            all.of_class(Class::RetrievalMiss),
            all.of_class(Class::GenerationMiss)
        )
        .expect(CANNOT_FAIL);
    }
    body.push_str("</table>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_missing_values_are_dashes() {
        let run = ReportedRun {
            name: "<b>dense</b>".into(),
            folder: "1".into(),
            metrics: vec![("right".into(), Some(0.5)), ("AUROC".into(), None)],
            diagnosis: DiagnosisReport::default(),
        };
        let figure = ReportedFigure {
            file: "a.svg".into(),
            caption: "\"x\"".into(),
            svg: String::new(),
        };
        let page = report_page(&[run], &[figure]);
        assert!(page.contains("&lt;b&gt;dense") && !page.contains("<b>dense"));
        assert!(page.contains(">0.500<td class=\"n\">–"), "{page}");
        assert!(page.contains("alt=\"&quot;x&quot;\""));
    }
}
