//! Prints what a decision achieves.
#![expect(clippy::print_stdout, reason = "a report is what the program is for")]

use rag_generate::Decision;

use crate::data::Asked;

/// Prints the figures of one data set by the default and the fitted decision, and the trade-off.
pub(crate) fn print(name: &str, asked: &[Asked], default: &Decision, fitted: &Decision, held_out: &[f32]) {
    let answerable = asked.iter().filter(|asked| asked.answerable).count();
    println!(
        "\n{name}: {answerable} answerable, {} not",
        asked.len() - answerable
    );
    for (label, decision) in [("default", default), ("fitted", fitted)] {
        let best: Vec<(bool, f32)> = asked.iter().map(|asked| asked.best(decision)).collect();
        let odds: Vec<f32> = best.iter().map(|(_, odds)| *odds).collect();
        let right = share(asked, &best, |asked, (is_right, _)| {
            asked.answerable.then_some(is_right)
        });
        println!(
            "  {label}: best sentence right {right:.3}, AUROC {:.3}",
            auroc(asked, &odds)
        );
    }
    println!("  cross-validated AUROC {:.3}", auroc(asked, held_out));
    println!("  threshold  right answer given  unanswerable declined  right among given");
    let best: Vec<(bool, f32)> = asked.iter().map(|asked| asked.best(fitted)).collect();
    for step in 1..20u8 {
        let threshold = f32::from(step) * 0.05;
        let gives = |odds: f32| 1.0 / (1.0 + (-odds).exp()) >= threshold;
        let right = share(asked, &best, |asked, (is_right, odds)| {
            asked.answerable.then_some(is_right && gives(odds))
        });
        let declined = share(asked, &best, |asked, (_, odds)| {
            (!asked.answerable).then(|| !gives(odds))
        });
        let precise = share(asked, &best, |asked, (is_right, odds)| {
            gives(odds).then_some(is_right && asked.answerable)
        });
        println!("  {threshold:9.2}  {right:18.3}  {declined:21.3}  {precise:17.3}");
    }
}

/// Prints `decision` as it stands in settings.
pub(crate) fn print_decision(decision: &Decision) -> anyhow::Result<()> {
    println!("\n{}", serde_json::to_string_pretty(decision)?);
    Ok(())
}

/// The share of true among the questions for which `look` gives a value.
fn share(asked: &[Asked], best: &[(bool, f32)], look: impl Fn(&Asked, (bool, f32)) -> Option<bool>) -> f64 {
    let seen: Vec<bool> = asked
        .iter()
        .zip(best)
        .filter_map(|(asked, best)| look(asked, *best))
        .collect();
    seen.iter().filter(|value| **value).count() as f64 / seen.len().max(1) as f64
}

/// How well the scores tell answerable from unanswerable questions; NaN without both.
fn auroc(asked: &[Asked], scores: &[f32]) -> f64 {
    let pairs = scores.iter().zip(asked);
    let scored: Vec<(f32, bool)> = pairs.map(|(score, asked)| (*score, asked.answerable)).collect();
    rag_eval::binary::auroc(&scored).unwrap_or(f64::NAN)
}
