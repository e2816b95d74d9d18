//! Starts `tesseract` on a picture and reads the table of words that it writes.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rag_core::span::BoundingBox;

use super::{Engine, NotRead, ReadPage, ReadParagraph};
use crate::config::OcrConfig;
use crate::pdf::image::GreyImage;

/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(5);

/// Most bytes of its output that are read.
const MAX_OUTPUT: u64 = 16 << 20;

/// The program. With `--psm 1` it finds the orientation itself.
#[derive(Debug)]
pub(super) struct Tesseract;

impl Engine for Tesseract {
    fn read(&self, image: &GreyImage, config: &OcrConfig, deadline: Instant) -> Result<ReadPage, NotRead> {
        read(image, config, deadline)
    }
}

fn read(image: &GreyImage, config: &OcrConfig, deadline: Instant) -> Result<ReadPage, NotRead> {
    let mut child = Command::new(&config.program)
        .args([
            "stdin",
            "stdout",
            "-l",
            &config.languages,
            "--psm",
            "1",
            "--dpi",
            &config.dpi.to_string(),
            "tsv",
        ])
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => NotRead::NoEngine,
            _ => NotRead::Failed,
        })?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(NotRead::Failed);
    };
    let file = image.to_pgm();
    // A program that ends early closes its input; what it says then is its own exit code.
    let writer = std::thread::spawn(move || input.write_all(&file).is_ok());
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        output.take(MAX_OUTPUT).read_to_end(&mut text).map(|_| text)
    });
    let ended = wait(&mut child, deadline);
    let _ = writer.join();
    let text = reader
        .join()
        .map_err(|_| NotRead::Failed)?
        .map_err(|_| NotRead::Failed)?;
    ended?;
    Ok(parse(&String::from_utf8_lossy(&text)))
}

/// Waits until the program ends; one that passes the deadline is ended.
fn wait(child: &mut Child, deadline: Instant) -> Result<(), NotRead> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) | Err(_) => return Err(NotRead::Failed),
            Ok(None) if Instant::now() >= deadline => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(NotRead::NoTime);
            }
            Ok(None) => std::thread::sleep(POLL),
        }
    }
}

/// Reads lines of `level page block paragraph line word left top width height confidence text`.
fn parse(table: &str) -> ReadPage {
    let mut page = ReadPage::default();
    let mut sum = 0.0;
    let mut last: Option<(String, String)> = None;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [
            level,
            _,
            block,
            paragraph,
            number,
            _,
            left,
            top,
            width,
            height,
            confidence,
            text,
        ] = cells[..]
        else {
            continue;
        };
        let numbers: Vec<f32> = [left, top, width, height, confidence]
            .iter()
            .filter_map(|cell| cell.parse().ok())
            .collect();
        let [left, top, width, height, confidence] = numbers[..] else {
            continue;
        };
        if level != "5" || text.trim().is_empty() || confidence < 0.0 {
            continue;
        }
        let bounds = BoundingBox {
            left,
            top,
            right: left + width,
            bottom: top + height,
        };
        let place = (format!("{block} {paragraph}"), number.to_owned());
        push(&mut page, last.as_ref(), &place, text, bounds);
        last = Some(place);
        sum += confidence;
        page.words += 1;
    }
    page.confidence = if page.words == 0 {
        0.0
    } else {
        sum / page.words as f32
    };
    page
}

fn push(
    page: &mut ReadPage,
    last: Option<&(String, String)>,
    place: &(String, String),
    text: &str,
    bounds: BoundingBox,
) {
    let same = last.filter(|last| last.0 == place.0);
    match (page.paragraphs.last_mut(), same) {
        (Some(paragraph), Some(last)) => {
            paragraph.bounds = paragraph.bounds.union(&bounds);
            match paragraph.lines.last_mut().filter(|_| last.1 == place.1) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(text);
                }
                None => paragraph.lines.push(text.to_owned()),
            }
        }
        _ => page.paragraphs.push(ReadParagraph {
            lines: vec![text.to_owned()],
            bounds,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_lines_and_paragraphs() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
            4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t\n5\t1\t1\t1\t1\t1\t10\t20\t30\t10\t90\tHello\n\
            5\t1\t1\t1\t1\t2\t45\t20\t30\t10\t80\tworld\n5\t1\t1\t1\t2\t1\t10\t35\t30\t10\t70\tagain\n\
            5\t1\t1\t2\t1\t1\t10\t60\t30\t10\t60\tNew\n5\tbroken line\n";
        let page = parse(table);
        let lines: Vec<&[String]> = page
            .paragraphs
            .iter()
            .map(|paragraph| paragraph.lines.as_slice())
            .collect();
        assert_eq!(
            lines,
            [
                &["Hello world".to_owned(), "again".to_owned()][..],
                &["New".to_owned()][..]
            ]
        );
        assert_eq!((page.words, page.confidence), (4, 75.0));
        assert_eq!(page.paragraphs[0].bounds.bottom, 45.0);
    }
}
