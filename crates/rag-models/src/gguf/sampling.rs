//! Which token comes next: the settings, and the choice among logits.

use rag_core::random::Random;
use serde::{Deserialize, Serialize};

/// How tokens are chosen. The same settings, model and prompt give the same text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// 0 takes the likeliest token each time; higher values flatten the distribution, 1 leaves it as it is.
    /// Default 0, since an answer from sources should not vary.
    pub temperature: f32,
    /// Only the likeliest tokens that together have this probability are chosen from. Default 0.95.
    pub top_p: f32,
    /// Only so many of the likeliest tokens are chosen from; 0 for all. Default 40.
    pub top_k: usize,
    /// What the logits of tokens written lately are divided by (Keskar et al. 2019), 1 for nothing. Words
    /// of the prompt are not penalised, so that sources can be quoted. Default 1.1, which keeps small models
    /// from writing one sentence for ever.
    pub repeat_penalty: f32,
    /// Start of the random numbers. Default 0.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.0,
            top_p: 0.95,
            top_k: 40,
            repeat_penalty: 1.1,
            seed: 0,
        }
    }
}

/// Tokens that count as written lately.
const PENALTY_WINDOW: usize = 64;

impl Sampling {
    /// The settings in one word, for identities. Those without effect are left out.
    pub(super) fn key(&self) -> String {
        let penalty = format!("penalty={}", self.repeat_penalty);
        if self.is_greedy() {
            return format!("greedy,{penalty}");
        }
        format!(
            "temperature={},top_p={},top_k={},{penalty},seed={}",
            self.temperature, self.top_p, self.top_k, self.seed
        )
    }

    fn is_greedy(&self) -> bool {
        // Settings that are no number mean the default too.
        self.temperature.is_nan() || self.temperature <= 0.0
    }
}

/// Chooses the tokens of one text.
#[derive(Debug)]
pub(super) struct Sampler {
    settings: Sampling,
    random: Random,
    written: Vec<u32>,
}

impl Sampler {
    pub(super) fn new(settings: Sampling) -> Self {
        Self {
            settings,
            random: Random::new(settings.seed),
            written: Vec::new(),
        }
    }

    /// The next token. Logits must be finite, and at least one.
    pub(super) fn choose(&mut self, mut logits: Vec<f32>) -> u32 {
        self.penalise(&mut logits);
        let token = if self.settings.is_greedy() {
            likeliest(&logits)
        } else {
            self.draw(&logits)
        };
        self.written.push(token);
        token
    }

    fn penalise(&self, logits: &mut [f32]) {
        let penalty = self.settings.repeat_penalty;
        if penalty.is_nan() || penalty <= 0.0 || penalty == 1.0 {
            return;
        }
        let mut lately = self.written[self.written.len().saturating_sub(PENALTY_WINDOW)..].to_vec();
        lately.sort_unstable();
        lately.dedup();
        for token in lately {
            if let Some(logit) = logits.get_mut(token as usize) {
                *logit = if *logit > 0.0 {
                    *logit / penalty
                } else {
                    *logit * penalty
                };
            }
        }
    }

    fn draw(&mut self, logits: &[f32]) -> u32 {
        let fraction = self.random.unit();
        let mut ranked: Vec<u32> = (0..logits.len() as u32).collect();
        let logit = |token: &u32| logits[*token as usize];
        ranked.sort_unstable_by(|a, b| logit(b).total_cmp(&logit(a)).then(a.cmp(b)));
        if self.settings.top_k > 0 {
            ranked.truncate(self.settings.top_k);
        }
        let largest = logit(&ranked[0]);
        let weight = |token: &u32| f64::from((logit(token) - largest) / self.settings.temperature).exp();
        let total: f64 = ranked.iter().map(weight).sum();
        let wanted = total * f64::from(self.settings.top_p.clamp(0.0, 1.0));
        let mut sum = 0.0;
        let enough = ranked.iter().position(|token| {
            sum += weight(token);
            sum >= wanted
        });
        ranked.truncate(enough.map_or(ranked.len(), |last| last + 1));
        let mut left = fraction * ranked.iter().map(weight).sum::<f64>();
        let drawn = ranked.iter().find(|token| {
            left -= weight(token);
            left < 0.0
        });
        *drawn.unwrap_or(&ranked[ranked.len() - 1])
    }
}

/// The token of the largest logit, the first of equals.
fn likeliest(logits: &[f32]) -> u32 {
    let mut best = 0;
    for (token, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = token;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOGITS: [f32; 5] = [0.0, 3.0, 2.0, -1.0, 2.5];

    fn counts(settings: Sampling, draws: usize) -> [usize; 5] {
        let mut counts = [0; 5];
        let mut sampler = Sampler::new(settings);
        for _ in 0..draws {
            counts[sampler.choose(LOGITS.to_vec()) as usize] += 1;
        }
        counts
    }

    fn free(temperature: f32, top_p: f32, top_k: usize) -> Sampling {
        Sampling {
            temperature,
            top_p,
            top_k,
            repeat_penalty: 1.0,
            seed: 7,
        }
    }

    #[test]
    fn greedy_takes_the_first_of_the_largest() {
        assert_eq!(counts(free(0.0, 1.0, 0), 10), [0, 10, 0, 0, 0]);
        assert_eq!(counts(free(f32::NAN, 1.0, 0), 10), [0, 10, 0, 0, 0]);
        assert_eq!(likeliest(&[1.0, 2.0, 2.0]), 1);
    }

    #[test]
    fn draws_follow_the_distribution() {
        let found = counts(free(1.0, 1.0, 0), 20_000);
        let total: f32 = LOGITS.iter().map(|logit| logit.exp()).sum();
        for (count, logit) in found.iter().zip(LOGITS) {
            let (share, expected) = (*count as f32 / 20_000.0, logit.exp() / total);
            assert!((share - expected).abs() < 0.015, "{share} {expected}");
        }
    }

    #[test]
    fn only_the_likeliest_are_chosen_from() {
        for (settings, allowed) in [
            (free(5.0, 1.0, 2), &[1, 4][..]),
            (free(5.0, 1.0, 1), &[1]),
            (free(1.0, 0.0, 0), &[1]),
            (free(1.0, 0.6, 0), &[1, 4]),
            (free(5.0, f32::NAN, 3), &[1, 2, 4]),
        ] {
            let found = counts(settings, 500);
            for (token, count) in found.iter().enumerate() {
                assert_eq!(*count > 0, allowed.contains(&token), "{settings:?} {found:?}");
            }
        }
    }

    #[test]
    fn the_seed_decides_the_draws() {
        let draws = |seed| {
            let mut sampler = Sampler::new(Sampling {
                seed,
                ..free(2.0, 1.0, 0)
            });
            (0..50)
                .map(|_| sampler.choose(LOGITS.to_vec()))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
    }

    #[test]
    fn what_was_written_lately_becomes_less_likely() {
        let settings = Sampling {
            repeat_penalty: 2.0,
            ..free(0.0, 1.0, 0)
        };
        let mut sampler = Sampler::new(settings);
        let chosen: Vec<u32> = (0..3).map(|_| sampler.choose(LOGITS.to_vec())).collect();
        assert_eq!(chosen, [1, 4, 2]);
    }
}
