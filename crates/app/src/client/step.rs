//! What users ask for: the steps of a workload, compiled.

use headcount_load::Compile;
use serde::Deserialize;
use serde_json::Value;

use super::sizes::Sizes;
use crate::kernel::{self, MAX_ROUNDS, SEEDS};

/// One request to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Sends a payload.
    ClientServer(Sizes),
    /// Has a payload sent.
    ServerClient(Sizes),
    /// Has the server compute, from one of the seeds whose results are known.
    Processor {
        /// Rounds of the computation.
        rounds: u32,
        /// The result for each seed.
        expected: Box<[u64; SEEDS]>,
    },
    /// Reads a block of this user's file at a random offset.
    Read(Sizes),
    /// Writes one.
    Write(Sizes),
}

/// A step as it stands in a workload file.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
enum Table {
    ClientServer { request_bytes: Value },
    ServerClient { reply_bytes: Value },
    Processor { rounds: u32 },
    Read { bytes: Value },
    Write { bytes: Value },
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        let table = Table::deserialize(options).map_err(|error| format!("{error}"))?;
        Ok(match table {
            Table::ClientServer { request_bytes } => {
                Self::ClientServer(Sizes::payload("request_bytes", &request_bytes)?)
            }
            Table::ServerClient { reply_bytes } => {
                Self::ServerClient(Sizes::payload("reply_bytes", &reply_bytes)?)
            }
            Table::Processor { rounds } if (1..=MAX_ROUNDS).contains(&rounds) => Self::Processor {
                rounds,
                expected: Box::new(kernel::expected(rounds)),
            },
            Table::Processor { rounds } => {
                return Err(format!(
                    "rounds must be from 1 to {MAX_ROUNDS}; it is {rounds}"
                ));
            }
            Table::Read { bytes } => Self::Read(Sizes::block("bytes", &bytes)?),
            Table::Write { bytes } => Self::Write(Sizes::block("bytes", &bytes)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_operation_compiles() {
        let processor = Step::compile(&json!({"op": "processor", "rounds": 2})).unwrap();
        let Step::Processor {
            rounds: 2,
            expected,
        } = processor
        else {
            panic!("{processor:?}");
        };
        assert_eq!(expected[3], kernel::work(kernel::seed(3), 2));
        for options in [
            json!({"op": "client-server", "request_bytes": 16384}),
            json!({"op": "server-client", "reply_bytes": [100, 200]}),
            json!({"op": "read", "bytes": 4096}),
            json!({"op": "write", "bytes": [4096, 65536]}),
        ] {
            assert!(Step::compile(&options).is_ok(), "{options}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (options, part) in [
            (json!({"op": "read"}), "bytes"),
            (json!({"op": "read", "bytes": 4096, "offset": 1}), "offset"),
            (json!({"op": "seek", "bytes": 4096}), "seek"),
            (json!({"bytes": 4096}), "op"),
            (json!({"op": "processor", "rounds": 0}), "from 1 to 4096"),
            (json!({"op": "processor", "rounds": 5000}), "5000"),
            (json!({"op": "write", "bytes": 1000}), "multiple of 4096"),
        ] {
            let sentence = Step::compile(&options).unwrap_err();
            assert!(sentence.contains(part), "{options}: {sentence}");
        }
    }
}
