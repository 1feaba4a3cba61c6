//! Which users are played where: by which machine, and by which of its workers.

use serde::{Deserialize, Serialize};

use crate::plan_error::PlanError;

/// Of all machines together.
const MOST_WORKERS: u32 = 1 << 20;

/// The part of a run's users that one machine plays, where several play the run together.
///
/// The workers of all machines are numbered consecutively. A user's number modulo the number of
/// workers is that of the worker that plays it, so a user does the same wherever it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The number of this machine's first worker, from 0; its others follow.
    pub first: u32,
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
    pub fn check(self, workers: u16) -> Result<(), PlanError> {
        let workers = u32::from(workers);
        let check = |what: &str, value: u32, least: u32, most: u32| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(PlanError::Bounds {
                what: what.into(),
                value: value.to_string(),
                bounds: format!("from {least} to {most}"),
            })
        };
        check(
            "the workers of all machines",
            self.of,
            workers,
            MOST_WORKERS,
        )?;
        let last = self.of - workers;
        check("the number of the first worker", self.first, 0, last)
    }
}

impl Share {
    /// The share of a worker, on a machine with `workers` workers that plays a part of the run or
    /// all of it.
    #[must_use]
    pub fn new(worker: usize, workers: usize, part: Option<Part>) -> Self {
        let (first, of) = part.map_or((0, workers), |Part { first, of }| {
            (first as usize, of as usize)
        });
        Self {
            worker,
            lane: first + worker,
            of,
        }
    }
}
