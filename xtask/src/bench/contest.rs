//! Contestants that do the same work in turn, and what came of it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use rag_cli::print::to_stderr;
use serde::Serialize;

use super::python::Peer;

/// What one round of a contestant took, by the name of the unit that it is measured in.
pub(super) type Round = BTreeMap<&'static str, f64>;

/// One who takes part.
pub(super) struct Contestant<'c> {
    pub(super) name: String,
    /// What else is to be said of it, such as the recall that it reaches.
    pub(super) remarks: BTreeMap<String, f64>,
    pub(super) runner: Runner<'c>,
}

/// Does the work once.
pub(super) enum Runner<'c> {
    /// In this process; gives units per second by the unit's name, of which the first is compared.
    Ours(Box<dyn FnMut() -> anyhow::Result<Round> + 'c>),
    /// In a process of its own; the function makes a round of what it printed.
    Peer(Peer, Box<dyn Fn(&serde_json::Value) -> Round + 'c>),
}

/// Several contestants and what is counted.
pub(super) struct Contest<'c> {
    pub(super) subject: &'static str,
    /// What the work is, in a sentence.
    pub(super) work: String,
    /// Ours come first.
    pub(super) contestants: Vec<Contestant<'c>>,
    /// Ratios to report: name, ours, the peer, and the unit.
    pub(super) pairs: Vec<(String, String, String, &'static str)>,
}

/// How a contest ended.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    subject: &'static str,
    work: String,
    contestants: Vec<Standing>,
    #[serde(skip)]
    pairs: Vec<(String, String, String, &'static str)>,
}

/// What one contestant reached.
#[derive(Debug, Serialize)]
struct Standing {
    name: String,
    /// Median rate by unit, per second.
    per_second: BTreeMap<&'static str, f64>,
    remarks: BTreeMap<String, f64>,
}

/// `units` done in `seconds` as a round.
pub(super) fn rate(unit: &'static str, units: usize, seconds: f64) -> Round {
    BTreeMap::from([(unit, units as f64 / seconds)])
}

/// Runs `work`, which does `units`, and makes a round of its time.
pub(super) fn timed(
    unit: &'static str,
    units: usize,
    work: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<Round> {
    let started = Instant::now();
    work()?;
    Ok(rate(unit, units, started.elapsed().as_secs_f64()))
}

impl Contest<'_> {
    /// Every contestant works once in each round.
    pub(super) fn hold(mut self, rounds: usize) -> anyhow::Result<Outcome> {
        let mut results: Vec<Vec<Round>> = self.contestants.iter().map(|_| Vec::new()).collect();
        for round in 1..=rounds {
            to_stderr(&format!("{}: round {round} of {rounds}", self.subject));
            for (contestant, results) in self.contestants.iter_mut().zip(&mut results) {
                results.push(match &mut contestant.runner {
                    Runner::Ours(work) => work()?,
                    Runner::Peer(peer, read) => read(&peer.run()?),
                });
            }
        }
        let standing = |(contestant, rounds): (Contestant<'_>, Vec<Round>)| Standing {
            name: contestant.name,
            remarks: contestant.remarks,
            per_second: medians(&rounds),
        };
        Ok(Outcome {
            subject: self.subject,
            work: self.work,
            contestants: self.contestants.into_iter().zip(results).map(standing).collect(),
            pairs: self.pairs,
        })
    }
}

fn medians(rounds: &[Round]) -> BTreeMap<&'static str, f64> {
    let units = rounds.first().map(|round| round.keys().copied());
    let median = |unit: &'static str| {
        let mut values: Vec<f64> = rounds
            .iter()
            .filter_map(|round| round.get(unit))
            .copied()
            .collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        match values.len() % 2 {
            _ if values.is_empty() => f64::NAN,
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        }
    };
    units
        .into_iter()
        .flatten()
        .map(|unit| (unit, median(unit)))
        .collect()
}

impl Outcome {
    /// The ratios by name.
    pub(super) fn ratios(&self) -> Vec<(String, f64)> {
        let of = |name: &str, unit: &str| {
            let found = self.contestants.iter().find(|standing| standing.name == name)?;
            found.per_second.get(unit).copied()
        };
        let ratio = |(name, ours, peer, unit): &(String, String, String, &'static str)| {
            Some((name.clone(), of(ours, unit)? / of(peer, unit)?))
        };
        self.pairs.iter().filter_map(ratio).collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.subject, self.work)?;
        for standing in &self.contestants {
            write!(f, "  {:24}", standing.name)?;
            for (unit, rate) in &standing.per_second {
                write!(f, " {rate:>10.0} {unit}/s")?;
            }
            for (remark, value) in &standing.remarks {
                write!(f, "  {remark} {value:.5}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_round_counts_and_ratios_are_of_rates() {
        let ours = |rates: [f64; 3]| {
            let mut rates = rates.into_iter();
            Contestant {
                name: format!("{}", rates.len()),
                remarks: BTreeMap::new(),
                runner: Runner::Ours(Box::new(move || {
                    Ok(BTreeMap::from([("texts", rates.next().unwrap_or_default())]))
                })),
            }
        };
        let mut fast = ours([30.0, 10.0, 20.0]);
        fast.name = "fast".to_owned();
        let mut slow = ours([5.0, 500.0, 10.0]);
        slow.name = "slow".to_owned();
        let contest = Contest {
            subject: "encoder",
            work: "nothing".to_owned(),
            contestants: vec![fast, slow],
            pairs: vec![(
                "fast_vs_slow".to_owned(),
                "fast".to_owned(),
                "slow".to_owned(),
                "texts",
            )],
        };
        let outcome = contest.hold(3).unwrap();
        assert_eq!(outcome.ratios(), [("fast_vs_slow".to_owned(), 2.0)]);
    }
}
