//! Running heads, footers and page numbers: the same text, digits masked, at the same place of several pages.

use std::collections::HashMap;

use super::line_numbers;
use super::lines::Segment;
use crate::config::RepairConfig;
use crate::repair::furniture::{is_page_number, mask_digits};

/// Share of the page's height at its top and bottom in which furniture stands.
const ZONE: f32 = 0.12;

/// Largest distance of the same piece of furniture on two pages, in points.
const SAME_PLACE: f32 = 6.0;

/// Longest furniture, in characters.
const MAX_CHARACTERS: usize = 160;

/// Most digits of a page number, and fewest pages on which numbers must count.
const MAX_DIGITS: usize = 6;
const MIN_COUNTING: usize = 3;

/// A page's height and its segments.
pub(super) type Sheet = (f32, Vec<Segment>);

/// A segment that was furniture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dropped {
    /// The step, by the name of its switch.
    pub(super) step: &'static str,
    /// Number of its sheet.
    pub(super) sheet: usize,
    pub(super) text: String,
}

/// Removes furniture from the pages and returns what it was.
pub(super) fn drop_furniture(pages: &mut [Sheet], repair: &RepairConfig) -> Vec<Dropped> {
    let running = if repair.drop_running_lines {
        running(pages)
    } else {
        Vec::new()
    };
    let counting = if repair.drop_page_numbers {
        counting(pages)
    } else {
        Vec::new()
    };
    let mut dropped = Vec::new();
    for (number, (height, segments)) in pages.iter_mut().enumerate() {
        let numbered = if repair.drop_line_numbers {
            line_numbers::find(segments)
        } else {
            Vec::new()
        };
        let mut at = 0;
        segments.retain(|segment| {
            let place = (number, at);
            at += 1;
            let is_number = || in_zone(segment, *height) && is_page_number(&segment.text);
            let step = if running.binary_search(&place).is_ok() {
                "drop_running_lines"
            } else if counting.contains(&place) || repair.drop_page_numbers && is_number() {
                "drop_page_numbers"
            } else if numbered.binary_search(&place.1).is_ok() {
                "drop_line_numbers"
            } else {
                return true;
            };
            dropped.push(Dropped {
                step,
                sheet: number,
                text: segment.text.clone(),
            });
            false
        });
    }
    dropped
}

/// Page and position of numbers that count with the pages, wherever in the zone they stand: pages of
/// journals have five digits and change sides.
fn counting(pages: &[Sheet]) -> Vec<(usize, usize)> {
    let mut by_offset: HashMap<i64, Vec<(usize, usize)>> = HashMap::new();
    for (number, (height, segments)) in pages.iter().enumerate() {
        for (at, segment) in segments
            .iter()
            .enumerate()
            .filter(|(_, segment)| in_zone(segment, *height))
        {
            if let Some(value) = segment
                .text
                .parse::<i64>()
                .ok()
                .filter(|_| segment.text.len() <= MAX_DIGITS)
            {
                by_offset
                    .entry(value - number as i64)
                    .or_default()
                    .push((number, at));
            }
        }
    }
    let enough = MIN_COUNTING.max(pages.len().div_ceil(3));
    by_offset
        .into_values()
        .filter(|places| places.len() >= enough)
        .flatten()
        .collect()
}

fn in_zone(segment: &Segment, height: f32) -> bool {
    segment.baseline < height * ZONE || segment.baseline > height * (1.0 - ZONE)
}

/// Page and position of every segment that runs, in order.
fn running(pages: &[Sheet]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (number, (height, segments)) in pages.iter().enumerate() {
        for (at, segment) in segments.iter().enumerate() {
            let masked = mask_digits(&segment.text);
            if in_zone(segment, *height) && !masked.is_empty() && masked.chars().count() <= MAX_CHARACTERS {
                seen.entry(masked).or_default().push((number, at));
            }
        }
    }
    // Odd and even pages may have furniture of their own, so a third of the pages is enough.
    let enough = 2.max(pages.len().div_ceil(3));
    let mut found = Vec::new();
    for places in seen.into_values().filter(|places| places.len() >= enough) {
        let segment = |(number, at): (usize, usize)| &pages[number].1[at];
        for &place in &places {
            let same = places
                .iter()
                .filter(|other| is_same_place(segment(place), segment(**other)))
                .count();
            if same >= enough {
                found.push(place);
            }
        }
    }
    found.sort_unstable();
    found
}

fn is_same_place(a: &Segment, b: &Segment) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() <= SAME_PLACE;
    near(a.baseline, b.baseline)
        && (near(a.left, b.left) || near(a.right, b.right) || near(a.center(), b.center()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, baseline: f32) -> Segment {
        Segment {
            text: text.to_owned(),
            left: 50.0,
            right: 200.0,
            baseline,
            size: 10.0,
            is_bold: false,
            order: 0,
            spaces: Vec::new(),
        }
    }

    #[test]
    fn furniture_is_dropped_and_repeated_text_is_kept() {
        let page = |number: usize| {
            let own = format!("Text of page {}", ["one", "two", "three"][number]);
            let foot = format!("Page {} of 3", number + 1);
            (
                800.0,
                vec![
                    segment("Travel policy 2026", 40.0),
                    segment(&own, 90.0),
                    segment("Note", 400.0),
                    segment(&foot, 770.0),
                ],
            )
        };
        let mut pages: Vec<Sheet> = (0..3).map(page).collect();
        assert_eq!(drop_furniture(&mut pages, &RepairConfig::default()).len(), 6);
        let texts: Vec<&str> = pages[1].1.iter().map(|segment| segment.text.as_str()).collect();
        assert_eq!(texts, ["Text of page two", "Note"]);
        let off = RepairConfig {
            drop_running_lines: false,
            drop_page_numbers: false,
            ..RepairConfig::default()
        };
        assert!(drop_furniture(&mut [page(0), page(1)], &off).is_empty());
    }
}
