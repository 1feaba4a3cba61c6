//! Sizes in a workload: one number, or a range to draw from.

use headcount_load::stream::Stream;
use serde_json::Value;

/// The largest body of a request: 1 GiB.
pub const MOST_BYTES: u64 = 1 << 30;

/// A uniform distribution over `low..=high` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    low: u64,
    high: u64,
}

impl Sizes {
    /// Reads an option. The error is a sentence that names it.
    pub fn parse(option: &str, value: &Value) -> Result<Self, String> {
        let bounds = match value {
            Value::Array(bounds) if bounds.len() == 2 => [&bounds[0], &bounds[1]],
            single => [single, single],
        };
        match bounds.map(Value::as_u64) {
            [Some(low), Some(high)] if low <= high && high <= MOST_BYTES => Ok(Self { low, high }),
            _ => Err(format!(
                "{option} must be a number of bytes from 0 to {MOST_BYTES}, or a range [low, high] \
                 of such numbers to draw from; it is {value}"
            )),
        }
    }

    /// Draws one size.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        self.low + stream.below(self.high - self.low + 1)
    }
}
