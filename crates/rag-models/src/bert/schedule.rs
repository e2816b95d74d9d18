//! Which sequences are computed together, and by which thread.
//!
//! Sequences are sorted by length and grouped under a token budget; threads take whole batches from a
//! counter, the costliest first. No result depends on either choice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tokens per batch at most, if there is enough work for all threads: activations of this many tokens fit
/// the caches, and weights are read seldom enough.
const BATCH_TOKENS: usize = 512;
/// Batches per thread that are aimed at, so that threads end at about the same time.
const BATCHES_PER_THREAD: usize = 3;

/// Groups sequences of these lengths into batches, the longest sequences first. A batch is a list of
/// indices; each index is in exactly one. A sequence longer than the budget is a batch of its own.
pub(super) fn batches(lengths: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let total: usize = lengths.iter().sum();
    let budget = match threads {
        0 | 1 => BATCH_TOKENS,
        _ => total.div_ceil(threads * BATCHES_PER_THREAD).min(BATCH_TOKENS),
    };
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&index| (std::cmp::Reverse(lengths[index]), index));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in order {
        match batches.last_mut() {
            Some(batch) if lengths[index] <= room => batch.push(index),
            _ => {
                batches.push(vec![index]);
                room = budget.max(lengths[index]);
            }
        }
        room -= lengths[index];
    }
    batches
}

/// Computes `work(0)` to `work(count - 1)` on up to `threads` threads; results are in that order.
pub(crate) fn map_in_order<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    map_in_order_with(count, threads, || (), |(), item| work(item))
}

/// The same with something that each thread makes once and reuses.
pub(super) fn map_in_order_with<T: Send, M>(
    count: usize,
    threads: usize,
    make: impl Fn() -> M + Sync,
    work: impl Fn(&mut M, usize) -> T + Sync,
) -> Vec<T> {
    if threads <= 1 || count <= 1 {
        let mut own = make();
        return (0..count).map(|item| work(&mut own, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let finished = Mutex::new(Vec::with_capacity(count));
    let run = || {
        let mut own = make();
        let mut results = Vec::new();
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= count {
                break;
            }
            results.push((item, work(&mut own, item)));
        }
        let mut finished = finished.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        finished.extend(results);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(run);
        }
        run();
    });
    let mut finished = finished
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    finished.sort_unstable_by_key(|(item, _)| *item);
    finished.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sequence_is_in_one_batch_and_budgets_hold(
            lengths in prop::collection::vec(0usize..700, 0..60),
            threads in 0usize..5,
        ) {
            let batches = batches(&lengths, threads);
            let mut seen: Vec<usize> = batches.concat();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..lengths.len()).collect::<Vec<_>>());
            for batch in &batches {
                let tokens: usize = batch.iter().map(|&index| lengths[index]).sum();
                prop_assert!(tokens <= BATCH_TOKENS || batch.len() == 1);
            }
        }
    }

    #[test]
    fn a_reranking_is_split_among_threads() {
        let batches = batches(&[146; 30], 2);
        assert_eq!(batches.len(), 10);
        assert!(batches.iter().all(|batch| batch.len() == 3));
    }

    #[test]
    fn results_keep_their_order_on_any_number_of_threads() {
        for threads in 0..5 {
            let squares = map_in_order(20, threads, |item| item * item);
            assert_eq!(squares, (0..20).map(|item| item * item).collect::<Vec<_>>());
        }
    }
}
