//! What the steps that a user plays belong to.

/// What the steps belong to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Section {
    /// The setup of a session.
    Setup,
    /// A scenario.
    Steps(usize),
    /// The setup or teardown of a scenario.
    Around(usize),
}

impl Section {
    /// The scenario that they belong to.
    pub(crate) const fn scenario(self) -> Option<usize> {
        match self {
            Self::Setup => None,
            Self::Steps(scenario) | Self::Around(scenario) => Some(scenario),
        }
    }

    /// The scenario that counts the bytes they move.
    pub(crate) const fn counted(self) -> Option<usize> {
        match self {
            Self::Steps(scenario) => Some(scenario),
            Self::Setup | Self::Around(_) => None,
        }
    }
}
