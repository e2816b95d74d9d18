//! Places rows on pages: one column, or two balanced ones, with headings kept with their text.

use super::typeset::{Bond, Row, Section};

/// The part of a page that holds text, in points from the bottom left corner of the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
    pub(super) width: f32,
    /// Space between two columns.
    pub(super) gutter: f32,
}

/// A row at its place: `left` and `top` are page coordinates.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) row: Row,
}

/// The rows of one page, in reading order.
pub(super) type Page = Vec<Placed>;

/// Distributes the sections over as many pages as they need; there is at least one.
pub(super) fn paginate(sections: Vec<Section>, area: Area) -> Vec<Page> {
    let mut press = Press {
        area,
        pages: vec![Page::new()],
        y: area.top,
    };
    for section in sections {
        match section {
            Section::Single(rows) => press.single(rows),
            Section::TwoColumns(rows) => press.two_columns(rows),
        }
    }
    press.pages
}

struct Press {
    area: Area,
    pages: Vec<Page>,
    /// Top of the next row.
    y: f32,
}

impl Press {
    fn single(&mut self, rows: Vec<Row>) {
        let left = self.area.left;
        for (row, needed) in with_needed_height(rows) {
            if self.y - needed < self.area.bottom && self.y < self.area.top {
                self.new_page();
            }
            self.place(left, self.area.top, row);
        }
    }

    /// Fills a left and a right column per page. On the last page the columns are of equal height.
    fn two_columns(&mut self, rows: Vec<Row>) {
        let width = (self.area.width - self.area.gutter) / 2.0;
        let columns = [self.area.left, self.area.left + width + self.area.gutter];
        let mut rest = with_needed_height(rows).peekable();
        self.y -= 8.0;
        while rest.peek().is_some() {
            let (column_top, mut lowest) = (self.y, self.y);
            let all: f32 = rest.clone().map(|(row, _)| row.gap + row.height).sum();
            let goal = (column_top - all / 2.0).max(self.area.bottom);
            for (left, floor) in columns.into_iter().zip([goal, self.area.bottom]) {
                self.y = column_top;
                while let Some((_, needed)) = rest.peek() {
                    if self.y - needed < floor - 0.5 && self.y < column_top {
                        break;
                    }
                    if let Some((row, _)) = rest.next() {
                        self.place(left, column_top, row);
                    }
                }
                lowest = lowest.min(self.y);
            }
            self.y = lowest;
            if rest.peek().is_some() {
                self.new_page();
            }
        }
    }

    fn place(&mut self, left: f32, column_top: f32, row: Row) {
        let at_top = self.y >= column_top;
        if at_top && let Some(header) = row.repeat.clone() {
            self.put(left, Row::clone(&header));
        } else if !at_top {
            self.y -= row.gap;
        }
        self.put(left, row);
    }

    fn put(&mut self, left: f32, row: Row) {
        let (top, height) = (self.y, row.height);
        if let Some(page) = self.pages.last_mut() {
            page.push(Placed { left, top, row });
        }
        self.y -= height;
    }

    fn new_page(&mut self) {
        self.pages.push(Page::new());
        self.y = self.area.top;
    }
}

/// Each row with the height that must be free for it: its own, and that of the rows bound to it.
fn with_needed_height(rows: Vec<Row>) -> impl Iterator<Item = (Row, f32)> + Clone {
    let mut needed = vec![0.0; rows.len()];
    let mut below = 0.0;
    for (position, row) in rows.iter().enumerate().rev() {
        let own = row.gap + row.height;
        needed[position] = match row.bond {
            Bond::KeepWithNext => own + below,
            Bond::Loose => own,
        };
        below = needed[position];
    }
    rows.into_iter().zip(needed)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    const AREA: Area = Area {
        left: 10.0,
        top: 100.0,
        bottom: 0.0,
        width: 80.0,
        gutter: 10.0,
    };

    fn rows(count: usize) -> Vec<Row> {
        let row = Row {
            height: 20.0,
            ..Row::default()
        };
        vec![row; count]
    }

    #[test]
    fn rows_fill_pages_from_the_top() {
        let pages = paginate(vec![Section::Single(rows(7))], AREA);
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2]);
        assert!((pages[1][0].top - 100.0).abs() < 1e-3);
    }

    #[test]
    fn a_heading_moves_to_the_page_of_its_text() {
        let mut rows = rows(6);
        rows[4].bond = Bond::KeepWithNext;
        let pages = paginate(vec![Section::Single(rows)], AREA);
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn a_table_that_continues_repeats_its_header() {
        let mut rows = rows(6);
        let header = Rc::new(rows[0].clone());
        for row in &mut rows[1..] {
            row.repeat = Some(Rc::clone(&header));
        }
        let pages = paginate(vec![Section::Single(rows)], AREA);
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [5, 2]);
    }

    #[test]
    fn two_columns_are_balanced_and_text_goes_on_below_them() {
        let sections = vec![Section::TwoColumns(rows(4)), Section::Single(rows(1))];
        let pages = paginate(sections, AREA);
        let lefts: Vec<f32> = pages[0].iter().map(|placed| placed.left).collect();
        assert_eq!(lefts, [10.0, 10.0, 55.0, 55.0, 10.0]);
        let last = pages[0].last().unwrap();
        assert!((last.top - 52.0).abs() < 1e-3);
    }

    #[test]
    fn long_columns_go_over_several_pages() {
        let pages = paginate(vec![Section::TwoColumns(rows(25))], AREA);
        assert!(pages.len() > 2);
        assert_eq!(pages.iter().map(Vec::len).sum::<usize>(), 25);
    }
}
