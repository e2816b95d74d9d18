//! Builds the graph with hnsw_rs and writes it flat.

use std::io::{BufWriter, Write};
use std::path::Path;

use hnsw_rs::anndists::dist::distances::Distance;
use hnsw_rs::hnsw::Hnsw;
use rag_core::progress::{Progress, Unit};

use super::{MAGIC, VERSION};
use crate::config::GraphConfig;
use crate::dot::dot;
use crate::error::IndexError;
use crate::vectors::Vectors;

/// Layers that hnsw_rs may use; its limit.
const MAX_LAYERS: usize = 16;

/// Points inserted one by one before threads insert side by side, so that they start from a connected
/// graph.
const SERIAL_POINTS: usize = 1_000;

/// Points inserted between two reports of progress.
const STRIDE: usize = 2_048;

/// Name of the step in progress reports.
const TASK: &str = "graph";

/// Cosine distance of unit vectors. hnsw_rs asserts that distances are not negative, which rounding
/// breaks for equal vectors: hence the clamp.
#[derive(Debug, Clone, Copy, Default)]
struct UnitDistance;

impl Distance<f32> for UnitDistance {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        (1.0 - dot(a, b)).max(0.0)
    }
}

/// A vector and its ordinal.
type Point<'v> = (&'v [f32], usize);

/// A layer's members with their links, nearest first.
type Members = Vec<(u32, Vec<u32>)>;

/// Builds the graph over all vectors but zero ones, which are near to nothing, and writes it to `path`.
///
/// Threads insert side by side, so two builds give different graphs of the same quality.
pub(crate) fn build(
    vectors: &Vectors,
    config: &GraphConfig,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(), IndexError> {
    let rows = (0..vectors.len()).map(|row| (vectors.row(row), row));
    let points: Vec<Point<'_>> = rows
        .filter(|(vector, _)| vector.iter().any(|x| *x != 0.0))
        .collect();
    let hnsw = Hnsw::new(
        config.connections as usize,
        points.len(),
        MAX_LAYERS,
        config.ef_construction as usize,
        UnitDistance,
    );
    progress.start(TASK, Some(points.len() as u64), Unit::Items);
    insert(&hnsw, &points, progress);
    progress.finish(TASK);
    let (entry, layers) = flatten(&hnsw, vectors.len());
    Ok(write(path, vectors.len(), entry, &layers)?)
}

fn insert(hnsw: &Hnsw<'_, f32, UnitDistance>, points: &[Point<'_>], progress: &dyn Progress) {
    let (first, rest) = points.split_at(points.len().min(SERIAL_POINTS));
    for &point in first {
        hnsw.insert_slice(point);
    }
    progress.advance(TASK, first.len() as u64);
    for stride in rest.chunks(STRIDE) {
        hnsw.parallel_insert_slice(&stride.to_vec());
        progress.advance(TASK, stride.len() as u64);
    }
}

/// The entry ordinal and the layers, lowest first.
fn flatten(hnsw: &Hnsw<'_, f32, UnitDistance>, passages: usize) -> (u32, Vec<Members>) {
    let top = usize::from(hnsw.get_max_level_observed());
    let mut layers: Vec<Members> = (0..=top).map(|_| Members::new()).collect();
    let mut entry = 0;
    layers[0] = (0..passages as u32)
        .map(|ordinal| (ordinal, Vec::new()))
        .collect();
    if hnsw.get_nb_point() == 0 {
        return (entry, layers);
    }
    for point in hnsw.get_point_indexation() {
        let ordinal = point.get_origin_id() as u32;
        let own_top = usize::from(point.get_point_id().0);
        if own_top == top {
            entry = ordinal;
        }
        // hnsw_rs also notes where it came from in layers above the point's own.
        let own = point.get_neighborhood_id().into_iter().take(own_top + 1);
        for (index, neighbours) in own.enumerate() {
            let links = neighbours.into_iter().map(|n| n.d_id as u32).collect();
            if index == 0 {
                layers[0][ordinal as usize].1 = links;
            } else {
                layers[index].push((ordinal, links));
            }
        }
    }
    for layer in &mut layers[1..] {
        layer.sort_unstable_by_key(|(ordinal, _)| *ordinal);
    }
    (entry, layers)
}

fn write(path: &Path, passages: usize, entry: u32, layers: &[Members]) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs_err::File::create(path)?);
    let mut put = |word: u32| file.write_all(&word.to_le_bytes());
    for word in [MAGIC, VERSION, passages as u32, entry, layers.len() as u32] {
        put(word)?;
    }
    for (index, layer) in layers.iter().enumerate() {
        let links: usize = layer.iter().map(|(_, links)| links.len()).sum();
        put(layer.len() as u32)?;
        put(links as u32)?;
        if index > 0 {
            layer.iter().try_for_each(|(ordinal, _)| put(*ordinal))?;
        }
        let mut offset = 0;
        put(offset)?;
        for (_, links) in layer {
            offset += links.len() as u32;
            put(offset)?;
        }
        layer
            .iter()
            .flat_map(|(_, links)| links)
            .try_for_each(|&link| put(link))?;
    }
    file.flush()
}
