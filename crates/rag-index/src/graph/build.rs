//! Builds the graph with hnsw_rs and writes it flat.

use std::io::{BufWriter, Write};
use std::path::Path;

use hnsw_rs::anndists::dist::distances::Distance;
use hnsw_rs::hnsw::Hnsw;

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

/// Cosine distance of unit vectors. hnsw_rs asserts that distances are not negative, which rounding
/// breaks for equal vectors: hence the clamp.
#[derive(Debug, Clone, Copy, Default)]
struct UnitDistance;

impl Distance<f32> for UnitDistance {
    fn eval(&self, a: &[f32], b: &[f32]) -> f32 {
        (1.0 - dot(a, b)).max(0.0)
    }
}

/// One layer as lists.
#[derive(Debug, Default)]
struct Lists {
    /// (member, its links).
    members: Vec<(u32, Vec<u32>)>,
}

/// Builds the graph over all vectors but zero ones, which are near to nothing, and writes it to `path`.
///
/// Threads insert side by side, so two builds give different graphs of the same quality.
pub(crate) fn build(vectors: &Vectors, config: &GraphConfig, path: &Path) -> Result<(), IndexError> {
    let rows = (0..vectors.len()).map(|row| (vectors.row(row), row));
    let points: Vec<(&[f32], usize)> = rows
        .filter(|(vector, _)| vector.iter().any(|x| *x != 0.0))
        .collect();
    let hnsw = Hnsw::<f32, UnitDistance>::new(
        config.connections as usize,
        points.len(),
        MAX_LAYERS,
        config.ef_construction as usize,
        UnitDistance,
    );
    let serial = points.len().min(SERIAL_POINTS);
    for &point in &points[..serial] {
        hnsw.insert_slice(point);
    }
    hnsw.parallel_insert_slice(&points[serial..].to_vec());
    let (entry, layers) = flatten(&hnsw, vectors.len());
    Ok(write(path, vectors.len(), entry, &layers)?)
}

/// The entry ordinal and the layers, lowest first.
fn flatten(hnsw: &Hnsw<'_, f32, UnitDistance>, passages: usize) -> (u32, Vec<Lists>) {
    let top = usize::from(hnsw.get_max_level_observed());
    let mut layers: Vec<Lists> = (0..=top).map(|_| Lists::default()).collect();
    let mut entry = 0;
    layers[0].members = (0..passages as u32)
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
        for (index, neighbours) in point
            .get_neighborhood_id()
            .into_iter()
            .take(own_top + 1)
            .enumerate()
        {
            let links = neighbours.into_iter().map(|n| n.d_id as u32).collect();
            if index == 0 {
                layers[0].members[ordinal as usize].1 = links;
            } else {
                layers[index].members.push((ordinal, links));
            }
        }
    }
    for layer in &mut layers[1..] {
        layer.members.sort_unstable_by_key(|(ordinal, _)| *ordinal);
    }
    (entry, layers)
}

fn write(path: &Path, passages: usize, entry: u32, layers: &[Lists]) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs_err::File::create(path)?);
    let mut put = |word: u32| file.write_all(&word.to_le_bytes());
    for word in [MAGIC, VERSION, passages as u32, entry, layers.len() as u32] {
        put(word)?;
    }
    for (index, layer) in layers.iter().enumerate() {
        let links: usize = layer.members.iter().map(|(_, links)| links.len()).sum();
        put(layer.members.len() as u32)?;
        put(links as u32)?;
        if index > 0 {
            layer.members.iter().try_for_each(|(ordinal, _)| put(*ordinal))?;
        }
        let mut offset = 0;
        put(offset)?;
        for (_, links) in &layer.members {
            offset += links.len() as u32;
            put(offset)?;
        }
        layer
            .members
            .iter()
            .flat_map(|(_, links)| links)
            .try_for_each(|&link| put(link))?;
    }
    file.flush()
}
