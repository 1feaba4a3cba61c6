//! The description of the imagined server, in JSON. A real target says where the server is, who the
//! users are and what their data is like; it also answers `hello`, `prepare` and `cleanup`.

use std::fmt;

use headcount_load::{Blame, Blamed, Target};
use serde::Deserialize;

use crate::{Null, Stalls};

/// When the imagined server stands still.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NullTarget {
    /// From the start of one stall to that of the next; 0 for none.
    #[serde(default)]
    pub stall_every_ms: u64,
    /// How long each lasts.
    #[serde(default)]
    pub stall_lasting_ms: u64,
}

/// Stalls that never end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndlessStalls;

impl fmt::Display for EndlessStalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stalls must be shorter than the time between their starts")
    }
}

impl Blamed for EndlessStalls {
    fn blame(&self) -> Blame {
        Blame::Plan
    }
}

impl Target for NullTarget {
    type Protocol = Null;
    type Error = EndlessStalls;

    fn protocol(self) -> Result<Null, EndlessStalls> {
        if self.stall_every_ms == 0 {
            return Ok(Null::default());
        }
        if self.stall_lasting_ms >= self.stall_every_ms {
            return Err(EndlessStalls);
        }
        let ns = |ms: u64| ms * 1_000_000;
        Ok(Null {
            stalls: Some(Stalls {
                every_ns: ns(self.stall_every_ms),
                lasting_ns: ns(self.stall_lasting_ms),
            }),
        })
    }
}
