//! Places for the nodes of a picture: springs along edges, repulsion between all (Fruchterman and Reingold 1991).

/// Steps of the simulation.
const STEPS: usize = 200;

/// Places in the unit square for `nodes` nodes; edges pull with their weight. The same input gives the same
/// picture: nodes begin on a spiral.
pub(super) fn places(nodes: usize, edges: &[(usize, usize, f32)]) -> Vec<(f32, f32)> {
    let mut places: Vec<(f32, f32)> = (0..nodes).map(|node| on_spiral(node, nodes)).collect();
    let ideal = (1.0 / nodes.max(1) as f32).sqrt();
    for step in 0..STEPS {
        let mut moves = vec![(0.0f32, 0.0f32); nodes];
        for a in 0..nodes {
            for b in a + 1..nodes {
                let (dx, dy, distance) = between(places[a], places[b]);
                push(&mut moves, a, b, dx, dy, ideal * ideal / distance / distance);
            }
        }
        for &(a, b, weight) in edges {
            let (dx, dy, distance) = between(places[a], places[b]);
            push(
                &mut moves,
                a,
                b,
                dx,
                dy,
                -weight.min(2.0) * distance / ideal / 2.0,
            );
        }
        let heat = 0.1 * (1.0 - step as f32 / STEPS as f32);
        for (place, (dx, dy)) in places.iter_mut().zip(moves) {
            let length = (dx * dx + dy * dy).sqrt().max(1e-6);
            let step = length.min(heat) / length;
            place.0 += dx * step;
            place.1 += dy * step;
        }
    }
    fit(places)
}

fn on_spiral(node: usize, nodes: usize) -> (f32, f32) {
    let angle = node as f32 * 2.399_963;
    let radius = 0.5 * (node as f32 / nodes as f32).sqrt();
    (0.5 + radius * angle.cos(), 0.5 + radius * angle.sin())
}

fn between(a: (f32, f32), b: (f32, f32)) -> (f32, f32, f32) {
    let (dx, dy) = (a.0 - b.0, a.1 - b.1);
    (dx, dy, (dx * dx + dy * dy).sqrt().max(1e-4))
}

fn push(moves: &mut [(f32, f32)], a: usize, b: usize, dx: f32, dy: f32, force: f32) {
    moves[a].0 += dx * force;
    moves[a].1 += dy * force;
    moves[b].0 -= dx * force;
    moves[b].1 -= dy * force;
}

/// Moves and stretches the places to fill the unit square.
fn fit(mut places: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let range = |pick: fn(&(f32, f32)) -> f32, places: &[(f32, f32)]| {
        let low = places.iter().map(pick).fold(f32::INFINITY, f32::min);
        let high = places.iter().map(pick).fold(f32::NEG_INFINITY, f32::max);
        (low, (high - low).max(1e-6))
    };
    let (left, width) = range(|place| place.0, &places);
    let (top, height) = range(|place| place.1, &places);
    for place in &mut places {
        *place = ((place.0 - left) / width, (place.1 - top) / height);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_nodes_end_up_nearer_than_others() {
        let found = places(4, &[(0, 1, 1.0), (2, 3, 1.0)]);
        let distance = |a: usize, b: usize| between(found[a], found[b]).2;
        assert!(
            distance(0, 1) < distance(0, 2) && distance(2, 3) < distance(1, 3),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .all(|p| (0.0..=1.0).contains(&p.0) && (0.0..=1.0).contains(&p.1))
        );
    }

    #[test]
    fn none_and_one_have_places() {
        assert!(places(0, &[]).is_empty());
        assert_eq!(places(1, &[]).len(), 1);
    }
}
