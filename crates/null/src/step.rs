//! The steps of the null protocol.

use headcount_load::{Compile, pace::Draw};
use serde::Deserialize;
use serde_json::Value;

/// One step. Deriving `Deserialize` with a tag and `deny_unknown_fields` makes a misspelt option of
/// the workload file an error that names it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum NullStep {
    /// Does nothing, at once: what is left is the engine's own cost.
    Nothing {},
    /// Is served for a random time by a server that is never busy with others.
    Serve {
        /// The service time.
        service: Draw,
    },
    /// Fails.
    Fail {
        /// Whether the session ends with it.
        ends_session: bool,
    },
    /// Panics, as only a defect should.
    Panic {},
}

impl Compile for NullStep {
    // The place for checks that types cannot express; each error says what the option may be.
    fn compile(options: &Value) -> Result<Self, String> {
        let step = Self::deserialize(options).map_err(|error| error.to_string())?;
        match step {
            Self::Serve { service } if !service.is_valid() => {
                Err("service must be finite, from 0 to 86400 s, low before high".to_owned())
            }
            _ => Ok(step),
        }
    }
}
