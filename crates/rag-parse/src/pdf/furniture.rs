//! Running heads, footers and page numbers: lines outside the body whose text is the same at the same place
//! of several pages, but for a number that counts with the pages.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::line_numbers;
use super::lines::Segment;
use crate::config::RepairConfig;
use crate::repair::furniture::is_page_number;

/// Share of the page's height at its top and bottom in which furniture stands.
const ZONE: f32 = 0.12;

/// Largest size of furniture, as a share of that of most text: what is larger is a heading.
const MAX_SIZE: f32 = 1.4;

/// Largest distance of baselines of one line, in font sizes.
const SAME_LINE: f32 = 0.5;

/// Gap that ends the body: this times the usual distance of lines, which counts as at most so many font
/// sizes where there are few lines.
const BREAK: f32 = 1.5;
const WIDE: f32 = 2.4;

/// Largest distance of the same piece of furniture on two pages, in points.
const SAME_PLACE: f32 = 6.0;

/// Longest furniture, in characters.
const MAX_CHARACTERS: usize = 160;

/// Most digits of a page number, and fewest pages on which numbers must count.
const MAX_DIGITS: usize = 6;
const MIN_COUNTING: usize = 3;

/// The segments of a page that run in one direction.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet {
    /// The page, from 1.
    pub(super) page: u32,
    /// Height of the page, turned so that the segments run to the right.
    pub(super) height: f32,
    pub(super) segments: Vec<Segment>,
}

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
    let body = usual_size(pages);
    let lines = edge_lines(pages, body);
    let running = if repair.drop_running_lines {
        running(pages, &lines)
    } else {
        HashSet::new()
    };
    let numbers = if repair.drop_page_numbers {
        page_numbers(pages, &lines)
    } else {
        HashSet::new()
    };
    let furniture = whole_lines(pages, &lines, &running, &numbers);
    let mut dropped = Vec::new();
    for (number, sheet) in pages.iter_mut().enumerate() {
        let numbered = if repair.drop_line_numbers {
            line_numbers::find(&sheet.segments)
        } else {
            Vec::new()
        };
        let mut at = 0;
        sheet.segments.retain(|segment| {
            let place = (number, at);
            at += 1;
            let is_furniture = furniture.contains(&place);
            let step = if is_furniture && running.contains(&place) {
                "drop_running_lines"
            } else if is_furniture {
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

/// Sheet and position of a segment.
type At = (usize, usize);

/// The size of most characters.
fn usual_size(pages: &[Sheet]) -> f32 {
    let mut counts: HashMap<i32, usize> = HashMap::new();
    for segment in pages.iter().flat_map(|sheet| &sheet.segments) {
        *counts.entry((segment.size * 2.0).round() as i32).or_default() += segment.characters();
    }
    let most = counts.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map_or(0.0, |(size, _)| size as f32 / 2.0)
}

/// The lines that may be furniture, each with its segments: those at the top and bottom of a page that the
/// body does not reach, in letters no larger than its own.
fn edge_lines(pages: &[Sheet], body: f32) -> Vec<Vec<At>> {
    let mut found = Vec::new();
    for (number, sheet) in pages.iter().enumerate() {
        let lines = lines(&sheet.segments);
        for block in blocks(&lines, &sheet.segments) {
            let baseline =
                |line: Option<&Range<usize>>| line.map_or(0.0, |line| sheet.segments[line.start].baseline);
            let is_edge = baseline(block.last()) < sheet.height * ZONE
                || baseline(block.first()) > sheet.height * (1.0 - ZONE);
            let is_small = |line: &&Range<usize>| {
                let segments = &sheet.segments[(*line).clone()];
                segments.iter().all(|segment| segment.size <= body * MAX_SIZE)
                    || segments.len() == 1 && is_lettered_number(&segments[0].text)
            };
            if is_edge {
                let lines = block.iter().filter(is_small);
                found.extend(lines.map(|line| line.clone().map(|at| (number, at)).collect()));
            }
        }
    }
    found
}

/// The segments that stand on one baseline, line by line.
fn lines(segments: &[Segment]) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (at, segment) in segments.iter().enumerate() {
        match lines.last_mut() {
            Some(line) if segment.baseline - segments[line.start].baseline < SAME_LINE * segment.size => {
                line.end = at + 1;
            }
            _ => lines.push(at..at + 1),
        }
    }
    lines
}

/// Lines with no gap between them that is wider than usual on the page.
fn blocks<'l>(lines: &'l [Range<usize>], segments: &[Segment]) -> Vec<&'l [Range<usize>]> {
    let gap = |pair: &[Range<usize>]| segments[pair[1].start].baseline - segments[pair[0].start].baseline;
    let mut gaps: Vec<f32> = lines.windows(2).map(gap).collect();
    gaps.sort_by(f32::total_cmp);
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    let is_close = |a: &Range<usize>, b: &Range<usize>| {
        let size = segments[a.start].size.max(segments[b.start].size);
        gap(&[a.clone(), b.clone()]) <= BREAK * usual.clamp(size, size * WIDE)
    };
    lines.chunk_by(is_close).collect()
}

/// Leaves whole lines: a piece of a line whose other pieces differ from page to page is a value's label.
fn whole_lines(
    pages: &[Sheet],
    lines: &[Vec<At>],
    running: &HashSet<At>,
    numbers: &HashSet<At>,
) -> HashSet<At> {
    let is_value = |at: &At| {
        let is_known = running.contains(at) || numbers.contains(at);
        !is_known
            && pages[at.0].segments[at.1]
                .text
                .contains(|c: char| c.is_ascii_digit())
    };
    let whole = lines.iter().filter(|line| !line.iter().any(is_value));
    whole
        .flatten()
        .filter(|at| running.contains(at) || numbers.contains(at))
        .copied()
        .collect()
}

/// Segments that stand at the same place of several pages with the same words and the same numbers, one of
/// which may count with the pages.
fn running(pages: &[Sheet], lines: &[Vec<At>]) -> HashSet<At> {
    let mut alike: HashMap<String, Vec<At>> = HashMap::new();
    for &at in lines.iter().flatten() {
        let segment = &pages[at.0].segments[at.1];
        if segment.characters() <= MAX_CHARACTERS && !segment.text.trim().is_empty() {
            for key in keys(&segment.text, pages[at.0].page) {
                alike.entry(key).or_default().push(at);
            }
        }
    }
    // Odd and even pages may have furniture of their own, so a third of the pages is enough.
    let enough = 2.max(page_count(pages).div_ceil(3));
    let mut found = HashSet::new();
    for places in alike.into_values().filter(|places| places.len() >= enough) {
        for &place in &places {
            let segment = |at: At| &pages[at.0].segments[at.1];
            let same = places
                .iter()
                .filter(|other| is_same_place(segment(place), segment(**other)));
            let on: HashSet<u32> = same.map(|other| pages[other.0].page).collect();
            if on.len() >= enough {
                found.insert(place);
            }
        }
    }
    found
}

/// The text as it is, and with each of its numbers in turn counted from that of the page.
fn keys(text: &str, page: u32) -> Vec<String> {
    let normal: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut keys = Vec::new();
    for (range, value) in numbers(&normal) {
        let offset = value - i64::from(page);
        keys.push(format!(
            "{}\0{offset}\0{}",
            &normal[..range.start],
            &normal[range.end..]
        ));
    }
    keys.push(normal);
    keys
}

/// Where numbers that can be those of pages stand in a text.
fn numbers(text: &str) -> Vec<(Range<usize>, i64)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let digits = &text[from..at];
                if digits.len() <= MAX_DIGITS {
                    found.extend(digits.parse().ok().map(|value| (from..at, value)));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Lines that only number the page, and lines with a number that counts with the pages wherever they
/// stand: pages of journals change sides, and the name beside the number is that of a chapter.
fn page_numbers(pages: &[Sheet], lines: &[Vec<At>]) -> HashSet<At> {
    let mut counting: HashMap<String, Vec<At>> = HashMap::new();
    let mut found = HashSet::new();
    for line in lines {
        for &at in line {
            let segment = &pages[at.0].segments[at.1];
            if segment.characters() > MAX_CHARACTERS {
                continue;
            }
            let is_alone = line.len() == 1;
            if is_page_number(&segment.text) || is_alone && is_lettered_number(&segment.text) {
                found.insert(at);
            }
            let keys = keys(&segment.text, pages[at.0].page).into_iter();
            for key in keys.filter(|key| key.contains('\0')) {
                counting.entry(key).or_default().push(at);
            }
        }
    }
    let page_count = page_count(pages);
    for (key, places) in &counting {
        let on: HashSet<u32> = places.iter().map(|at| pages[at.0].page).collect();
        // A number alone may be anything; a name with a number that counts is no chance.
        let has_name = key.chars().filter(|c| c.is_alphabetic()).count() > 2;
        let enough = if has_name {
            MIN_COUNTING
        } else {
            MIN_COUNTING.max(page_count.div_ceil(3))
        };
        if on.len() >= enough {
            found.extend(places);
        }
    }
    found
}

fn page_count(pages: &[Sheet]) -> usize {
    pages.iter().map(|sheet| sheet.page).collect::<HashSet<_>>().len()
}

/// True for the number of a page in a part with a letter: `B-12`.
fn is_lettered_number(text: &str) -> bool {
    let Some((part, number)) = text.split_once(['-', '–', '.']) else {
        return false;
    };
    let is_part = part.len() == 1 && part.chars().all(|c| c.is_ascii_uppercase());
    is_part && (1..=4).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit())
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
            Sheet {
                page: number as u32 + 1,
                height: 800.0,
                segments: vec![
                    segment("Travel policy 2026", 40.0),
                    segment(&own, 90.0),
                    segment("Note", 400.0),
                    segment(&foot, 770.0),
                ],
            }
        };
        let mut pages: Vec<Sheet> = (0..3).map(page).collect();
        assert_eq!(drop_furniture(&mut pages, &RepairConfig::default()).len(), 6);
        let texts: Vec<&str> = pages[1]
            .segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect();
        assert_eq!(texts, ["Text of page two", "Note"]);
        let off = RepairConfig {
            drop_running_lines: false,
            drop_page_numbers: false,
            ..RepairConfig::default()
        };
        assert!(drop_furniture(&mut [page(0), page(1)], &off).is_empty());
    }

    fn dropped(pages: &[(u32, &[(&str, f32)])]) -> Vec<String> {
        let sheet = |(page, segments): &(u32, &[(&str, f32)])| Sheet {
            page: *page,
            height: 800.0,
            segments: segments
                .iter()
                .map(|(text, baseline)| segment(text, *baseline))
                .collect(),
        };
        let mut sheets: Vec<Sheet> = pages.iter().map(sheet).collect();
        let dropped = drop_furniture(&mut sheets, &RepairConfig::default());
        dropped.into_iter().map(|dropped| dropped.text).collect()
    }

    #[test]
    fn the_head_of_a_chapter_with_its_page_number_goes_wherever_it_stands() {
        let body: Vec<(u32, &[(&str, f32)])> =
            (20..40).map(|page| (page, &[("Some text", 400.0)][..])).collect();
        let mut pages = body.clone();
        pages[1] = (21, &[("Of pirates 11", 30.0), ("Some text", 400.0)]);
        pages[3] = (23, &[("Of pirates 13", 30.0), ("Some text", 400.0)]);
        pages[5] = (25, &[("Of pirates 15", 32.0), ("Some text", 400.0)]);
        assert_eq!(
            dropped(&pages),
            ["Of pirates 11", "Of pirates 13", "Of pirates 15"]
        );
        pages[5] = (25, &[("Of pirates 99", 32.0), ("Some text", 400.0)]);
        assert_eq!(dropped(&pages), [""; 0]);
    }

    #[test]
    fn numbers_count_with_pages_that_have_several_directions_of_text() {
        let pages: Vec<(u32, &[(&str, f32)])> = vec![
            (1, &[("47698", 30.0), ("text", 400.0)]),
            (1, &[("turned", 400.0)]),
            (2, &[("47699", 30.0), ("text", 400.0)]),
            (3, &[("47700", 30.0), ("text", 400.0)]),
            (3, &[("turned", 400.0)]),
        ];
        assert_eq!(dropped(&pages).len(), 3);
    }

    #[test]
    fn what_belongs_to_the_body_is_kept_though_it_repeats() {
        // The first and last rows of a table that fills the page, with a header on each page.
        let rows: Vec<Vec<(String, f32)>> = (0..3)
            .map(|page| {
                let row = |at: usize| (format!("WP-{}", page * 40 + at), 74.0 + at as f32 * 18.0);
                [("Part".to_owned(), 56.0)]
                    .into_iter()
                    .chain((0..38).map(row))
                    .collect()
            })
            .collect();
        let rows: Vec<Vec<(&str, f32)>> = rows
            .iter()
            .map(|page| page.iter().map(|(text, at)| (text.as_str(), *at)).collect())
            .collect();
        let pages: Vec<(u32, &[(&str, f32)])> = (1..).zip(rows.iter().map(Vec::as_slice)).collect();
        assert_eq!(dropped(&pages), [""; 0]);
        // The same label beside values of each page's own.
        let text = ("Some text", 400.0);
        let totals = ["EUR 111", "EUR 222"].map(|total| [text, ("Total", 740.0), (total, 740.0)]);
        assert_eq!(dropped(&[(1, &totals[0]), (2, &totals[1])]), [""; 0]);
        // Equal lines of one page.
        assert_eq!(
            dropped(&[(1, &[("DRAFT", 30.0), ("DRAFT", 42.0), text])]),
            [""; 0]
        );
    }

    #[test]
    fn large_text_at_the_edge_is_a_heading() {
        let sheet = |page: u32| {
            let mut heading = segment(&format!("Chapter {page}"), 60.0);
            heading.size = 18.0;
            let body = segment("Text of a chapter that goes on for a while", 300.0);
            Sheet {
                page,
                height: 800.0,
                segments: vec![heading, body],
            }
        };
        assert!(drop_furniture(&mut [sheet(1), sheet(2), sheet(3)], &RepairConfig::default()).is_empty());
    }

    #[test]
    fn a_number_with_a_letter_is_a_page_number_alone_at_the_edge() {
        assert_eq!(dropped(&[(1, &[("text", 400.0), ("B-1191", 780.0)])]), ["B-1191"]);
        assert_eq!(dropped(&[(1, &[("a part", 780.0), ("B-1191", 780.0)])]), [""; 0]);
    }
}
