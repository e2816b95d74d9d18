//! Tables by their ruling lines.

use super::*;

fn segment(text: &str, left: f32, baseline: f32) -> Segment {
    Segment {
        text: text.to_owned(),
        left,
        right: left + text.chars().count() as f32 * 4.0,
        baseline,
        size: 8.0,
        is_bold: false,
        order: 0,
        spaces: Vec::new(),
    }
}

fn grid(xs: &[f32], ys: &[f32]) -> Vec<Rule> {
    let level = |at: &f32| Rule {
        is_level: true,
        is_edge: false,
        at: *at,
        from: xs[0],
        to: xs[xs.len() - 1],
    };
    let upright = |at: &f32| Rule {
        is_level: false,
        is_edge: false,
        at: *at,
        from: ys[0],
        to: ys[ys.len() - 1],
    };
    ys.iter().map(level).chain(xs.iter().map(upright)).collect()
}

#[test]
fn crossing_lines_make_a_table_and_wrapped_cells_stay_one() {
    let rules = grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 150.0]);
    let mut segments = vec![
        segment("Before", 50.0, 90.0),
        segment("Grade", 55.0, 114.0),
        segment("Hotel cap", 155.0, 114.0),
        segment("G1", 55.0, 132.0),
        segment("EUR", 155.0, 132.0),
        segment("145", 155.0, 144.0),
    ];
    let tables = take_tables(&mut segments, &rules);
    assert_eq!(segments.len(), 1);
    assert_eq!(tables[0].grid, [["Grade", "Hotel cap"], ["G1", "EUR\n145"]]);
    assert_eq!(tables[0].header_rows, 1);
}

#[test]
fn a_missing_line_joins_cells() {
    let mut rules = grid(&[50.0, 150.0, 250.0], &[100.0, 120.0, 140.0]);
    rules.retain(|rule| rule.is_level || rule.at != 150.0);
    rules.push(Rule {
        is_level: false,
        is_edge: false,
        at: 150.0,
        from: 120.0,
        to: 140.0,
    });
    let frame = Frame::of(&rules[..3], &rules[3..]);
    assert_eq!(frame.merged(&rules[..3], &rules[3..]), [0, 0, 2, 3]);
}

#[test]
fn a_wrapped_label_beside_spanning_cells_is_one() {
    let own = |text: &str| Place {
        text: text.to_owned(),
        ..Place::default()
    };
    let repeated = |text: &str| Place {
        is_repeated: true,
        ..own(text)
    };
    let mut grid = vec![
        vec![own("Chlorine"), own("10"), own("-")],
        vec![own("(as HCl)"), repeated("10"), repeated("-")],
        vec![own("Halons"), own("1"), repeated("-")],
    ];
    join_wrapped_labels(&mut grid);
    let labels: Vec<&str> = grid.iter().map(|line| line[0].text.as_str()).collect();
    assert_eq!(labels, ["Chlorine\n(as HCl)", "Halons"]);
}

#[test]
fn labels_under_a_spanning_one_belong_to_their_columns() {
    let mut rules = grid(&[50.0, 150.0, 250.0, 350.0], &[100.0, 130.0, 150.0, 170.0]);
    // No line between the second and third column in the header.
    rules.retain(|rule| rule.is_level || rule.at != 250.0);
    rules.push(Rule {
        is_level: false,
        is_edge: false,
        at: 250.0,
        from: 130.0,
        to: 170.0,
    });
    let mut segments = vec![
        segment("State", 55.0, 124.0),
        segment("Redemption", 200.0, 112.0),
        segment("Handgun", 170.0, 124.0),
        segment("Long", 270.0, 124.0),
    ];
    for (row, texts) in [["A", "1", "2"], ["B", "3", "4"]].iter().enumerate() {
        let y = 144.0 + row as f32 * 20.0;
        segments.extend((0..3).map(|at| segment(texts[at], 55.0 + at as f32 * 100.0, y)));
    }
    let tables = take_tables(&mut segments, &rules);
    assert_eq!(
        tables[0].grid[0],
        ["State", "Redemption\nHandgun", "Redemption\nLong"]
    );
}

#[test]
fn text_in_the_frame_of_a_table_is_none_of_its_rows() {
    let rules = grid(&[50.0, 250.0, 450.0], &[100.0, 120.0, 140.0, 160.0, 240.0]);
    let mut segments: Vec<Segment> = Vec::new();
    for (row, texts) in [["Grade", "Cap"], ["G1", "145"], ["G2", "182"]]
        .iter()
        .enumerate()
    {
        let y = 114.0 + row as f32 * 20.0;
        segments.extend([segment(texts[0], 55.0, y), segment(texts[1], 255.0, y)]);
    }
    for line in 0..3 {
        let y = 180.0 + line as f32 * 15.0;
        segments.extend([segment("note", 55.0, y), segment("of it", 120.0, y)]);
    }
    let tables = take_tables(&mut segments, &rules);
    assert_eq!((tables.len(), tables[0].grid.len(), segments.len()), (1, 3, 6));
    assert_eq!(tables[0].bounds.bottom, 160.0);
}

#[test]
fn a_frame_around_text_is_no_table() {
    let rules = grid(&[50.0, 250.0], &[100.0, 200.0]);
    let mut segments = vec![segment("Note", 60.0, 120.0), segment("well", 60.0, 140.0)];
    assert!(take_tables(&mut segments, &rules).is_empty());
    assert_eq!(segments.len(), 2);
}
