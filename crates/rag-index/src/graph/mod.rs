//! `graph.bin`: the HNSW graph, built by hnsw_rs and laid out flat to be searched in place.
//!
//! hnsw_rs keeps each point as a heap object with a copy of its vector; searching that waits for memory
//! and its dump is read back whole. Here a layer is two arrays, mapped from disk, beside the vectors
//! that the scan uses too, so opening costs nothing and a damaged file cannot bring the process down.
//!
//! ```text
//! magic · version · passages · entry ordinal · number of layers, lowest first · then per layer
//!   number of members · number of links · members, ascending (absent in layer 0: all)
//!   · members + 1 offsets into the links · links, nearest first
//! ```
//! All are little-endian u32.

mod build;
mod search;

pub(crate) use build::build;

use std::ops::Range;
use std::path::Path;

use crate::error::IndexError;
use crate::mmap::{Map, as_words};

/// Name of the file in a generation.
pub(crate) const GRAPH_FILE: &str = "graph.bin";

const MAGIC: u32 = u32::from_le_bytes(*b"RAGH");
const VERSION: u32 = 1;
const HEADER_WORDS: usize = 5;

/// A graph, read in place.
#[derive(Debug)]
pub(crate) struct Graph {
    map: Map,
    entry: u32,
    layers: Vec<Layer>,
}

/// Where a layer's arrays stand among the file's words.
#[derive(Debug, Clone)]
struct Layer {
    /// Empty for the lowest layer, of which every passage is a member.
    members: Range<usize>,
    offsets: Range<usize>,
    links: Range<usize>,
}

impl Graph {
    /// Opens the file at `path`, which must be about `passages` passages.
    pub(crate) fn open(path: &Path, passages: usize) -> Result<Self, IndexError> {
        let map = Map::open(path)?;
        let words = as_words(map.bytes()).unwrap_or_default();
        let parsed = parse(words, passages);
        let (entry, layers) = parsed.ok_or_else(|| IndexError::damaged(path, "its layers do not fit"))?;
        Ok(Self { map, entry, layers })
    }

    fn words(&self, range: Range<usize>) -> &[u32] {
        &as_words(self.map.bytes()).expect("checked when it was opened")[range]
    }

    /// The links of a passage in one layer; none when it is no member.
    fn links(&self, layer: &Layer, ordinal: u32) -> &[u32] {
        let place = if layer.members.is_empty() {
            ordinal as usize
        } else {
            match self.words(layer.members.clone()).binary_search(&ordinal) {
                Ok(place) => place,
                Err(_) => return &[],
            }
        };
        let offsets = self.words(layer.offsets.clone());
        let (Some(&start), Some(&end)) = (offsets.get(place), offsets.get(place + 1)) else {
            return &[];
        };
        let links = self.words(layer.links.clone());
        links.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Finds the layers; their content is checked where it is used.
fn parse(words: &[u32], passages: usize) -> Option<(u32, Vec<Layer>)> {
    let &[magic, version, count, entry, layer_count] = words.first_chunk::<HEADER_WORDS>()?;
    let fits = magic == MAGIC && version == VERSION && count as usize == passages && entry < count;
    if !fits {
        return None;
    }
    let mut at = HEADER_WORDS;
    let mut take = |count: usize| {
        let range = at..at.checked_add(count).filter(|&end| end <= words.len())?;
        at = range.end;
        Some(range)
    };
    let mut layers = Vec::new();
    for index in 0..layer_count {
        let head = take(2)?;
        let (members, links) = (words[head.start] as usize, words[head.start + 1] as usize);
        let layer = Layer {
            members: take(if index == 0 { 0 } else { members })?,
            offsets: take(members + 1)?,
            links: take(links)?,
        };
        if index == 0 && members != passages {
            return None;
        }
        layers.push(layer);
    }
    (!layers.is_empty() && at == words.len()).then_some((entry, layers))
}
