//! Axes: what they are called, how values lie along them, and where their ticks stand.

use super::svg::number;

/// Most ticks of a linear axis.
const MAX_TICKS: f64 = 6.0;

/// Greatest size of a value that is shown: beyond it, steps between ticks get lost in rounding.
const MAX_SIZE: f64 = 1e15;

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long.
    #[default]
    Linear,
    /// Equal ratios are equally long; only values from 1e-15 are shown.
    Log,
}

/// How the values at ticks are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TickFormat {
    /// As they are.
    #[default]
    Plain,
    /// A share as a percentage.
    Percent,
}

/// An axis of a figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit: `time per question (ms)`.
    pub label: String,
    /// How values lie along it.
    pub scale: Scale,
    /// How ticks are written.
    pub format: TickFormat,
    /// The values at both ends; from the data where `None`.
    pub range: Option<(f64, f64)>,
    /// Where ticks stand, where not at round values.
    pub ticks: Option<Vec<f64>>,
}

impl Axis {
    /// A linear axis over the data.
    pub fn linear(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            ..Self::default()
        }
    }

    /// A logarithmic axis over the data.
    pub fn log(label: &str) -> Self {
        Self {
            scale: Scale::Log,
            ..Self::linear(label)
        }
    }

    /// A share from 0 to 1, written as a percentage.
    pub fn share(label: &str) -> Self {
        Self {
            format: TickFormat::Percent,
            range: Some((0.0, 1.0)),
            ..Self::linear(label)
        }
    }

    /// True when `value` can be shown.
    pub(super) fn shows(&self, value: f64) -> bool {
        let is_moderate = value.abs() <= MAX_SIZE;
        is_moderate && (self.scale == Scale::Linear || value >= 1.0 / MAX_SIZE)
    }

    /// The axis laid over `values`, along `length` of the figure.
    pub(super) fn over(&self, values: impl IntoIterator<Item = f64>, (start, end): (f64, f64)) -> Placed<'_> {
        let shown = values.into_iter().filter(|&value| self.shows(value));
        let data = shown.fold(None, |range: Option<(f64, f64)>, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });
        let given = self
            .range
            .filter(|&(low, high)| self.shows(low) && self.shows(high) && low < high);
        let (low, high) = given.unwrap_or_else(|| self.padded(data));
        Placed {
            axis: self,
            low,
            high,
            start,
            end,
        }
    }

    /// A range of some width around the data.
    fn padded(&self, data: Option<(f64, f64)>) -> (f64, f64) {
        match (self.scale, data) {
            (Scale::Linear, None) => (0.0, 1.0),
            (Scale::Log, None) => (1.0, 10.0),
            (Scale::Log, Some((low, high))) => (low / 1.25, high * 1.25),
            (Scale::Linear, Some((low, high))) => {
                let step = nice_step((high - low).max(high.abs() * 0.01).max(f64::MIN_POSITIVE));
                (
                    (low / step).floor() * step,
                    ((high / step).ceil() * step).max(low + step),
                )
            }
        }
    }
}

/// An axis with its place in the figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) axis: &'a Axis,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Placed<'_> {
    /// Where `value` stands; beyond the range at its end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let along = |value: f64| match self.axis.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        };
        let (low, high) = (along(self.low), along(self.high));
        let share = (along(value.clamp(self.low, self.high)) - low) / (high - low);
        self.start + share * (self.end - self.start)
    }

    /// The values with a tick, and what is written there.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let values = match (&self.axis.ticks, self.axis.scale) {
            (Some(ticks), _) => ticks.clone(),
            (None, Scale::Linear) => self.linear_ticks(),
            (None, Scale::Log) => self.log_ticks(),
        };
        let within = values
            .into_iter()
            .filter(|&value| value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9));
        within.map(|value| (value, self.written(value))).collect()
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let step = nice_step(self.high - self.low);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|index| index as f64 * step).collect()
    }

    /// Powers of ten, and 2 and 5 times them where there is room.
    fn log_ticks(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let is_short = (self.high / self.low).log10() < 2.7;
        let factors: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = usize::try_from((last - first) / 8).unwrap_or(0) + 1;
        let powers = (first..=last).step_by(every);
        powers
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .collect()
    }

    fn written(&self, value: f64) -> String {
        match self.axis.format {
            TickFormat::Percent => format!("{} %", plain(value * 100.0)),
            TickFormat::Plain => plain(value),
        }
    }
}

/// A number in few characters.
pub(super) fn plain(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 || (size > 0.0 && size < 0.005) {
        let text = format!("{value:.1e}");
        return text.replace(".0e", "e");
    }
    number(value)
}

/// The smallest of 1, 2 or 5 times a power of ten that divides `width` into few enough steps.
fn nice_step(width: f64) -> f64 {
    let rough = width / MAX_TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|factor| factor * power >= rough * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ticks(axis: &Axis, values: &[f64]) -> Vec<String> {
        let placed = axis.over(values.iter().copied(), (0.0, 100.0));
        placed.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_stand_at_round_values() {
        assert_eq!(
            ticks(&Axis::share("x"), &[]),
            ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
        );
        assert_eq!(
            ticks(&Axis::linear("x"), &[0.62, 0.71]),
            ["0.62", "0.64", "0.66", "0.68", "0.7", "0.72"]
        );
        assert_eq!(
            ticks(&Axis::log("x"), &[1.0, 100.0]),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            ticks(&Axis::log("x"), &[0.001, 1.0]),
            ["1e-3", "0.01", "0.1", "1"]
        );
        let chosen = Axis {
            ticks: Some(vec![1.0, 3.0, 500.0]),
            ..Axis::log("k")
        };
        assert_eq!(ticks(&chosen, &[1.0, 10.0]), ["1", "3"]);
    }

    #[test]
    fn values_lie_between_the_ends() {
        let (linear, log) = (Axis::linear("x"), Axis::log("x"));
        assert_eq!(linear.over([0.0, 10.0], (0.0, 100.0)).at(5.0), 50.0);
        let log_axis = Axis {
            range: Some((1.0, 100.0)),
            ..log
        };
        assert!((log_axis.over([], (0.0, 100.0)).at(10.0) - 50.0).abs() < 1e-9);
        assert!(!log_axis.shows(0.0) && linear.shows(0.0) && !linear.shows(f64::NAN));
    }

    proptest! {
        #[test]
        fn any_data_gives_few_finite_ticks(values in prop::collection::vec(-1e9f64..1e9, 0..5), small in 1e-9f64..1e9) {
            for axis in [Axis::linear("x"), Axis::log("x")] {
                let data = values.iter().copied().chain([small]);
                let placed = axis.over(data.clone(), (0.0, 100.0));
                let ticks = placed.ticks();
                prop_assert!(ticks.len() <= 24, "{}", ticks.len());
                for value in data.filter(|&value| axis.shows(value)) {
                    prop_assert!((-1e-6..=100.0 + 1e-6).contains(&placed.at(value)));
                }
            }
        }
    }
}
