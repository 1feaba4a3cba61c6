//! Why a plan cannot be run.

/// A mistake of a plan, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanMistake {
    /// `scenarios.0.steps.2.then.0`, `setup.1`, `variables`; `{name}` for a name without a value
    /// wherever it stands; empty for the plan as a whole.
    pub place: String,
    /// What is wrong.
    pub error: PlanError,
}

/// Why a plan cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The JSON does not have the form of a plan.
    #[error("the plan cannot be read: {0}")]
    Form(String),
    /// A figure is outside its bounds.
    #[error("{what} is {value}; it must be {bounds}")]
    Bounds {
        /// Which figure.
        what: String,
        /// What it is.
        value: String,
        /// What it may be.
        bounds: String,
    },
    /// Both the plan and the target have a program for users to follow.
    #[error(
        "the plan has a script, and the target has a program of its own; users can follow only one"
    )]
    TwoPrograms,
    /// A variable is declared wrongly, or has no value.
    #[error("{0}")]
    Variables(String),
    /// The protocol does not understand a step.
    #[error("scenario \"{scenario}\", step \"{step}\": {reason}")]
    Step {
        /// The scenario it is in.
        scenario: String,
        /// The step's name.
        step: String,
        /// What the protocol says.
        reason: String,
    },
}
