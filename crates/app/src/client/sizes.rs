//! Sizes in a workload: one number, or a range to draw from.

use headcount_load::stream::Stream;
use serde_json::Value;

use crate::block::UNIT_BYTES;
use crate::frame::MAX_PAYLOAD_BYTES;

/// A uniform distribution over `low, low + unit, ..., high` bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    low: u32,
    high: u32,
    unit: u32,
}

impl Sizes {
    /// Sizes of payloads: any number of bytes up to 1 MiB.
    pub fn payload(option: &str, value: &Value) -> Result<Self, String> {
        Self::parse(option, value, 0, 1)
    }

    /// Sizes of blocks: multiples of 4,096 bytes up to 1 MiB.
    pub fn block(option: &str, value: &Value) -> Result<Self, String> {
        Self::parse(option, value, UNIT_BYTES, UNIT_BYTES)
    }

    fn parse(option: &str, value: &Value, least: u32, unit: u32) -> Result<Self, String> {
        let bounds = match value {
            Value::Array(bounds) if bounds.len() == 2 => [&bounds[0], &bounds[1]],
            single => [single, single],
        };
        let [low, high] = bounds.map(|bound| bound.as_u64().and_then(|n| u32::try_from(n).ok()));
        match (low, high) {
            (Some(low), Some(high))
                if least <= low
                    && low <= high
                    && high <= MAX_PAYLOAD_BYTES
                    && low.is_multiple_of(unit)
                    && high.is_multiple_of(unit) =>
            {
                Ok(Self { low, high, unit })
            }
            _ => {
                let kind = if unit == 1 {
                    "a number of bytes".to_owned()
                } else {
                    format!("a multiple of {unit} bytes")
                };
                Err(format!(
                    "{option} must be {kind} from {least} to {MAX_PAYLOAD_BYTES}, or a range \
                     [low, high] of such numbers to draw from; it is {value}"
                ))
            }
        }
    }

    /// One size.
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        let choices = (self.high - self.low) / self.unit + 1;
        self.low + self.unit * stream.below(u64::from(choices)) as u32
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::stream::Purpose;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_is_fixed_and_a_range_is_drawn_evenly() {
        let mut stream = Stream::new(1, Purpose::Scenario, 0, 0);
        let fixed = Sizes::payload("reply_bytes", &json!(16384)).unwrap();
        assert_eq!(fixed.draw(&mut stream), 16384);
        let range = Sizes::block("bytes", &json!([4096, 16384])).unwrap();
        let mut drawn = [0; 5];
        for _ in 0..1000 {
            drawn[range.draw(&mut stream) as usize / 4096] += 1;
        }
        assert_eq!(drawn[0], 0);
        // Four sizes, 250 each expected; six standard deviations are 82.
        assert!(
            drawn[1..].iter().all(|count| (168..332).contains(count)),
            "{drawn:?}"
        );
    }

    #[test]
    fn invalid_sizes_are_refused_and_quoted() {
        for value in [
            json!(-1),
            json!("4k"),
            json!(5000),
            json!([8192, 4096]),
            json!(1 << 21),
            json!([4096]),
        ] {
            let sentence = Sizes::block("bytes", &value).unwrap_err();
            assert!(
                sentence.starts_with("bytes must be a multiple of 4096"),
                "{sentence}"
            );
            assert!(sentence.ends_with(&value.to_string()), "{sentence}");
        }
        assert!(Sizes::block("bytes", &json!(0)).is_err());
        assert!(Sizes::payload("request_bytes", &json!(0)).is_ok());
    }
}
