//! Allowed sets drawn with a seed: passages at random, and as real filters do it, whole documents and departments.

use std::ops::Range;

use rag_core::artifact::Digest;
use rag_core::random::Random;
use roaring::RoaringBitmap;
use serde::Serialize;

use crate::allowed::AllowedSet;
use crate::error::IndexError;
use crate::generation::Generation;

/// Length of what is added to a stored unit vector: the cosine with it becomes about 0.8.
const NOISE: f32 = 0.75;

/// How an allowed set is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// Any passages.
    Passages,
    /// Whole documents, the last one cut to size.
    Documents,
    /// Whole departments, of the last one whole documents.
    Departments,
}

impl Draw {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Passages, Self::Documents, Self::Departments];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passages => "passages",
            Self::Documents => "documents",
            Self::Departments => "departments",
        }
    }
}

/// What sets are drawn from.
pub(super) struct Field {
    pub(super) passages: usize,
    /// The ordinals of each document.
    pub(super) documents: Vec<Range<u32>>,
    /// The documents of each department; those of none are one more.
    pub(super) departments: Vec<Vec<usize>>,
}

impl Field {
    /// The documents and departments of a generation.
    pub(super) fn of_generation(generation: &Generation) -> Result<Self, IndexError> {
        let mut documents: Vec<Range<u32>> = Vec::new();
        let mut last = None;
        for ordinal in 0..generation.len() as u32 {
            let Some(passage) = generation.passages.get(ordinal)? else {
                break;
            };
            if last.as_ref() == Some(&passage.id.document) {
                documents.last_mut().expect("a document was begun").end = ordinal + 1;
            } else {
                documents.push(ordinal..ordinal + 1);
                last = Some(passage.id.document);
            }
        }
        let own: Vec<&RoaringBitmap> = generation.filters.departments().collect();
        let mut departments = vec![Vec::new(); own.len() + 1];
        for (document, range) in documents.iter().enumerate() {
            let place = own.iter().position(|department| department.contains(range.start));
            departments[place.unwrap_or(own.len())].push(document);
        }
        departments.retain(|documents| !documents.is_empty());
        Ok(Self {
            passages: generation.len(),
            documents,
            departments,
        })
    }

    /// Whether drawing in this way differs from the others.
    pub(super) fn has(&self, draw: Draw) -> bool {
        match draw {
            Draw::Passages => true,
            Draw::Documents => self.documents.len() < self.passages,
            Draw::Departments => self.departments.len() > 1,
        }
    }

    /// A set of `share` of the passages; none when that is less than half a passage.
    pub(super) fn draw(&self, draw: Draw, share: f64, random: &mut Random) -> AllowedSet {
        let wanted = (self.passages as f64 * share).round() as u64;
        let ordinals = match draw {
            Draw::Passages => {
                let mut all: Vec<u32> = (0..self.passages as u32).collect();
                random.shuffle(&mut all);
                all.into_iter().take(wanted as usize).collect()
            }
            Draw::Documents => {
                let mut order: Vec<usize> = (0..self.documents.len()).collect();
                random.shuffle(&mut order);
                self.fill(order, wanted)
            }
            Draw::Departments => {
                let mut departments = self.departments.clone();
                random.shuffle(&mut departments);
                for documents in &mut departments {
                    random.shuffle(documents);
                }
                self.fill(departments.into_iter().flatten(), wanted)
            }
        };
        AllowedSet::new(Digest::of(b"recall"), ordinals)
    }

    /// The passages of the documents `order` until there are `wanted`.
    fn fill(&self, order: impl IntoIterator<Item = usize>, wanted: u64) -> RoaringBitmap {
        let mut ordinals = RoaringBitmap::new();
        for document in order {
            let missing = wanted.saturating_sub(ordinals.len());
            if missing == 0 {
                break;
            }
            let range = self.documents[document].clone();
            ordinals.extend(range.take(missing as usize));
        }
        ordinals
    }
}

/// Numbers that point in a random direction.
pub(super) fn direction(random: &mut Random, dimension: usize) -> Vec<f32> {
    (0..dimension).map(|_| random.bell()).collect()
}

/// A unit vector near `stored`.
pub(super) fn near(random: &mut Random, stored: &[f32]) -> Vec<f32> {
    let noise = unit(direction(random, stored.len()));
    let moved = stored.iter().zip(noise).map(|(own, other)| own + NOISE * other);
    unit(moved.collect())
}

/// The vector of length 1 in the same direction.
pub(super) fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector
        .into_iter()
        .map(|x| x / length.max(f32::MIN_POSITIVE))
        .collect()
}
