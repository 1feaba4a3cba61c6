//! Whose steps a user plays.

/// Whose steps are played.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Section {
    /// Of a user whose session has been opened.
    Setup,
    /// Of a scenario.
    Steps(usize),
    /// Before or after a scenario.
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

    /// The scenario in which what they move is counted.
    pub(crate) const fn counted(self) -> Option<usize> {
        match self {
            Self::Steps(scenario) => Some(scenario),
            Self::Setup | Self::Around(_) => None,
        }
    }
}
