//! What users ask for: the steps of a workload, compiled.

use headcount_load::Compile;
use serde::Deserialize;
use serde_json::Value;

use crate::keys::Draw;

/// Most commands in one pipeline.
pub const MOST_PIPELINED: u32 = 10_000;

/// One or several commands, sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum RedisStep {
    /// Reads keys.
    Get {
        /// How they are drawn.
        #[serde(default)]
        keys: Draw,
        /// How many commands are sent before an answer is awaited.
        #[serde(default = "one")]
        pipeline: u32,
    },
    /// Writes keys.
    Set {
        /// How they are drawn.
        #[serde(default)]
        keys: Draw,
        /// How many commands are sent before an answer is awaited.
        #[serde(default = "one")]
        pipeline: u32,
    },
}

const fn one() -> u32 {
    1
}

impl Compile for RedisStep {
    fn compile(options: &Value) -> Result<Self, String> {
        let step = Self::deserialize(options).map_err(|error| error.to_string())?;
        let (Self::Get { pipeline, .. } | Self::Set { pipeline, .. }) = step;
        if !(1..=MOST_PIPELINED).contains(&pipeline) {
            return Err(format!(
                "pipeline must be from 1 to {MOST_PIPELINED}; it is {pipeline}"
            ));
        }
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_have_defaults() {
        let get = RedisStep::Get {
            keys: Draw::Zipfian,
            pipeline: 1,
        };
        assert_eq!(RedisStep::compile(&json!({"op": "get"})), Ok(get));
        let set = RedisStep::Set {
            keys: Draw::Uniform,
            pipeline: 16,
        };
        let options = json!({"op": "set", "keys": "uniform", "pipeline": 16});
        assert_eq!(RedisStep::compile(&options), Ok(set));
    }

    #[test]
    fn invalid_steps_are_reported() {
        let refused = |options| RedisStep::compile(&options).unwrap_err();
        assert!(refused(json!({"op": "del"})).contains("`del`"));
        assert!(refused(json!({"op": "get", "key": 1})).contains("`key`"));
        assert!(refused(json!({"op": "get", "pipeline": 0})).contains("from 1 to 10000"));
    }
}
