//! Who has to fix an error; this decides which exception and exit code it becomes.

use std::fmt::Display;

use crate::fault::{Fault, FaultKind};
use crate::limits::LimitError;
use crate::run::RunError;

/// What has to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The plan of the run.
    Plan,
    /// The user's input: options, credentials, a folder.
    Input,
    /// The server: it does not answer, or answers wrongly.
    Target,
    /// This machine: its limits, its space, its kernel.
    System,
    /// The engine itself.
    Engine,
}

/// An error that knows what has to be changed; its text is for people.
pub trait Blamed: Display {
    /// What has to be changed.
    fn blame(&self) -> Blame;
}

impl Blamed for RunError {
    fn blame(&self) -> Blame {
        match self {
            Self::Plan(_) => Blame::Plan,
            Self::Thread(_) => Blame::System,
            Self::Worker(_) => Blame::Engine,
        }
    }
}

impl Blamed for LimitError {
    fn blame(&self) -> Blame {
        match self {
            Self::FileHandles { .. } | Self::Ports { .. } => Blame::System,
        }
    }
}

impl Blamed for Fault {
    fn blame(&self) -> Blame {
        match self.kind {
            // Wrong credentials are for the user to fix, whatever the server does.
            FaultKind::Login => Blame::Input,
            FaultKind::Connect
            | FaultKind::Timeout
            | FaultKind::Disconnected
            | FaultKind::Refused
            | FaultKind::Malformed
            | FaultKind::WrongData => Blame::Target,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_logons_are_blamed_on_the_input_and_refusals_on_the_target() {
        assert_eq!(Fault::step(FaultKind::Login, "no").blame(), Blame::Input);
        assert_eq!(Fault::step(FaultKind::Refused, "no").blame(), Blame::Target);
    }
}
