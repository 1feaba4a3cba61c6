//! The steps of the null protocol.

use headcount_load::{Compile, pace::Draw};
use serde::Deserialize;
use serde_json::Value;

/// One step. Deriving `Deserialize` with a tag and `deny_unknown_fields` makes a misspelt option of
/// the workload file an error that names it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum NullStep {
    /// Does nothing, so that only the engine's own cost remains.
    Nothing {},
    /// Takes a random service time, on a server that is never busy with others.
    Serve {
        /// The service time.
        service: Draw,
        /// The task as which it is timed, if any.
        #[serde(default)]
        task: Option<NullTask>,
    },
    /// Waits for news that does not come.
    Rest {
        /// For how long.
        lasting: Draw,
    },
    /// Fails.
    Fail {
        /// Whether the session ends with it.
        ends_session: bool,
        /// The task as which it fails, if any.
        #[serde(default)]
        task: Option<NullTask>,
    },
    /// Panics, as only a defect should.
    Panic {},
}

/// What steps can be timed as. A real protocol times what happens inside its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NullTask {
    /// The first of two names.
    Look,
    /// The other.
    Change,
}

impl NullTask {
    /// All names, in the order of the kinds.
    pub const NAMES: [&str; 2] = ["look", "change"];
}

impl Compile for NullStep {
    // The place for checks that types cannot express; each error says what the option may be.
    fn compile(options: &Value) -> Result<Self, String> {
        let step = Self::deserialize(options).map_err(|error| error.to_string())?;
        match step {
            Self::Serve { service, .. } if !service.is_valid() => {
                Err("service must be finite, from 0 to 86400 s, low before high".to_owned())
            }
            Self::Rest { lasting } if !lasting.is_valid() => {
                Err("lasting must be finite, from 0 to 86400 s, low before high".to_owned())
            }
            _ => Ok(step),
        }
    }
}
