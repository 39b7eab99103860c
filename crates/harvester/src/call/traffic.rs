//! How the requests to one cluster went: counted by outcome, timed to the head of the answer.

use crate::error::ClusterError;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Upper bounds of the times that are told apart, in seconds; longer ones have no bound.
const BOUNDS: [f64; 8] = [0.01, 0.05, 0.1, 0.25, 1.0, 2.5, 5.0, 20.0];

/// The outcome of a request that was not waited for.
const GIVEN_UP: &str = "given_up";

/// Requests to a cluster since the start of the program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traffic {
    /// How many ended so: `ok`, [`ClusterError::label`], or `given_up` when no answer came in time.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// How many took at most so many seconds and more than the bound before; the last bound is infinite.
    pub buckets: Vec<(f64, u64)>,
    /// All their times together, in seconds.
    pub seconds: f64,
    /// Requests that are being made.
    pub in_flight: usize,
}

/// The books.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    outcomes: BTreeMap<&'static str, u64>,
    buckets: [u64; BOUNDS.len() + 1],
    time: Duration,
}

impl Tally {
    /// A request begins; it is counted however it ends.
    pub(super) fn begin(&self) -> Request<'_> {
        Request { tally: self, began: Instant::now(), outcome: GIVEN_UP }
    }

    fn note(&self, outcome: &'static str, took: Duration) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *kept.outcomes.entry(outcome).or_default() += 1;
        let bucket = BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound).unwrap_or(BOUNDS.len());
        kept.buckets[bucket] += 1;
        kept.time += took;
    }

    pub(super) fn read(&self, in_flight: usize) -> Traffic {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
        Traffic {
            outcomes: kept.outcomes.clone(),
            buckets: bounds.zip(kept.buckets).collect(),
            seconds: kept.time.as_secs_f64(),
            in_flight,
        }
    }
}

/// One that is being made. Dropped before its end, it was given up.
pub(super) struct Request<'a> {
    tally: &'a Tally,
    began: Instant,
    outcome: &'static str,
}

impl Request<'_> {
    pub(super) fn end<T>(mut self, answer: &Result<T, ClusterError>) {
        self.outcome = answer.as_ref().map_or_else(ClusterError::label, |_| "ok");
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.tally.note(self.outcome, self.began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_counted_once_by_outcome_and_by_time() {
        let tally = Tally::default();
        tally.begin().end(&Ok(()));
        tally.begin().end::<()>(&Err(ClusterError::Unauthorised));
        drop(tally.begin());
        assert_eq!(tally.read(0).outcomes, BTreeMap::from([("ok", 1), ("unauthorised", 1), (GIVEN_UP, 1)]));
        let tally = Tally::default();
        for ms in [10, 11, 60_000] {
            tally.note("ok", Duration::from_millis(ms));
        }
        let traffic = tally.read(3);
        let counts: Vec<u64> = traffic.buckets.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert!((traffic.seconds - 60.021).abs() < 1e-9 && traffic.in_flight == 3, "{traffic:?}");
    }
}
