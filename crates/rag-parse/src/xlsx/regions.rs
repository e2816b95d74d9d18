//! The regions of a sheet: stretches of filled cells with empty rows or columns around them.

use std::collections::BTreeSet;

use super::sheet::Sheet;

/// Most times that a region is cut again.
const MAX_DEPTH: usize = 16;

/// Filled rows, and the columns between the first and the last that is filled; thin empty ones left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
}

/// The regions of a sheet from top to bottom, then from left to right.
pub(super) fn regions(sheet: &Sheet) -> Vec<Region> {
    let mut found = Vec::new();
    let places: Vec<(usize, usize)> = sheet.cells.keys().copied().collect();
    cut(sheet, &places, 0, &mut found);
    found
}

fn cut(sheet: &Sheet, places: &[(usize, usize)], depth: usize, out: &mut Vec<Region>) {
    if places.is_empty() {
        return;
    }
    for by_rows in [true, false] {
        let key = |place: &(usize, usize)| if by_rows { place.0 } else { place.1 };
        let used: BTreeSet<usize> = places.iter().map(key).collect();
        let thin = if by_rows {
            &sheet.thin_rows
        } else {
            &sheet.thin_columns
        };
        let groups = stretches(&used, thin);
        if groups.len() > 1 && depth < MAX_DEPTH {
            let mut parts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); groups.len()];
            for place in places {
                let group = groups.partition_point(|(_, last)| *last < key(place));
                parts[group].push(*place);
            }
            for part in parts {
                cut(sheet, &part, depth + 1, out);
            }
            return;
        }
    }
    let rows: BTreeSet<usize> = places.iter().map(|place| place.0).collect();
    let used: BTreeSet<usize> = places.iter().map(|place| place.1).collect();
    let first = used.first().copied().unwrap_or(0);
    let last = used.last().copied().unwrap_or(0);
    let is_shown = |column: &usize| used.contains(column) || !sheet.thin_columns.contains(column);
    out.push(Region {
        rows: rows.into_iter().collect(),
        columns: (first..=last).filter(is_shown).collect(),
    });
}

/// Runs of neighbouring numbers, those that are thin between them passed over: first and last of each.
fn stretches(used: &BTreeSet<usize>, thin: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &number in used {
        match found
            .last_mut()
            .filter(|last| (last.1 + 1..number).all(|between| thin.contains(&between)))
        {
            Some(last) => last.1 = number,
            None => found.push((number, number)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_rows_and_columns_part_regions() {
        let mut sheet = Sheet::default();
        for place in [(0, 0), (0, 1), (1, 0), (3, 0), (3, 3), (4, 3)] {
            sheet.cells.insert(place, super::super::sheet::Cell::default());
        }
        let found = regions(&sheet);
        let shape: Vec<(Vec<usize>, Vec<usize>)> = found.into_iter().map(|r| (r.rows, r.columns)).collect();
        let expected = [
            (vec![0, 1], vec![0, 1]),
            (vec![3], vec![0]),
            (vec![3, 4], vec![3]),
        ];
        assert_eq!(shape, expected);
        sheet.thin_columns.extend([1, 2]);
        sheet.thin_rows.insert(2);
        assert_eq!(regions(&sheet).len(), 1);
    }

    #[test]
    fn many_regions_are_parted_in_one_pass() {
        let mut sheet = Sheet::default();
        for at in 0..60_000 {
            sheet
                .cells
                .insert((at * 2, 0), super::super::sheet::Cell::default());
        }
        assert_eq!(regions(&sheet).len(), 60_000);
    }
}
