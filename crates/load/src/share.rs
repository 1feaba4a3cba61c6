//! Which users are played where: by which machine, and by which of its workers.

use serde::{Deserialize, Serialize};

use crate::plan_error::PlanError;

/// Of all machines together.
const MOST_WORKERS: u32 = 1 << 20;

/// The part of a run's users that one machine plays, where several play the run together.
///
/// The workers of all machines are numbered from 0. A user's number modulo the number of workers is
/// that of the worker that plays it, so a user does the same wherever it is played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The numbers of this machine's workers, ascending.
    pub lanes: Vec<u32>,
    /// Workers of all machines.
    pub of: u32,
}

/// Where a worker stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which worker of this machine, from 0.
    pub worker: usize,
    /// Which of all machines' workers, from 0: it plays the users whose numbers have this
    /// remainder.
    pub lane: usize,
    /// Workers of all machines.
    pub of: usize,
}

impl Part {
    /// Checks that a machine with `workers` workers can play this part.
    pub fn check(&self, workers: u16) -> Result<(), PlanError> {
        let bounds = |what: &str, value: String, bounds: String| {
            Err(PlanError::Bounds {
                what: what.into(),
                value,
                bounds,
            })
        };
        if !(u32::from(workers)..=MOST_WORKERS).contains(&self.of) {
            return bounds(
                "the workers of all machines",
                self.of.to_string(),
                format!("from {workers} to {MOST_WORKERS}"),
            );
        }
        let ascend = self.lanes.windows(2).all(|pair| pair[0] < pair[1]);
        let in_range = self.lanes.last().is_none_or(|last| *last < self.of);
        if self.lanes.len() == usize::from(workers) && ascend && in_range {
            return Ok(());
        }
        bounds(
            "the list of this machine's workers",
            format!("{:?}", self.lanes),
            format!("{workers} ascending numbers below {}", self.of),
        )
    }
}

impl Share {
    /// The share of a worker, on a machine with `workers` workers that plays a part of the run or
    /// all of it.
    #[must_use]
    pub fn new(worker: usize, workers: usize, part: Option<&Part>) -> Self {
        let (lane, of) = part.map_or((worker, workers), |Part { lanes, of }| {
            (lanes[worker] as usize, *of as usize)
        });
        Self { worker, lane, of }
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Share};

    fn part(lanes: &[u32], of: u32) -> Part {
        Part {
            lanes: lanes.to_vec(),
            of,
        }
    }

    #[test]
    fn a_worker_has_the_lane_of_its_place() {
        let mine = part(&[1, 4], 6);
        assert_eq!(mine.check(2), Ok(()));
        let lanes = [0, 1].map(|worker| Share::new(worker, 2, Some(&mine)).lane);
        assert_eq!(lanes, [1, 4]);
        assert_eq!(Share::new(1, 2, None).lane, 1);
    }

    #[test]
    fn lanes_that_cannot_be_are_refused() {
        let wrong: [(&[u32], u32); 5] = [
            (&[0], 2),
            (&[0, 1, 2], 4),
            (&[1, 1], 4),
            (&[2, 1], 4),
            (&[1, 4], 4),
        ];
        for (lanes, of) in wrong {
            let error = part(lanes, of).check(2).unwrap_err().to_string();
            let expected = format!(
                "the list of this machine's workers is {lanes:?}; it must be 2 ascending numbers \
                 below {of}"
            );
            assert_eq!(error, expected);
        }
        let error = part(&[0, 1], 1).check(2).unwrap_err().to_string();
        assert!(
            error.starts_with("the workers of all machines is 1"),
            "{error}"
        );
    }
}
