//! The values for placeholders, and why one may be missing.

use crate::names::Slot;
use crate::quote::quoted;

/// The name and password with which a user logs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: Box<str>,
    /// The password.
    pub password: Box<str>,
}

/// Why a value is missing for a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The step that gives this variable a value has not been played, or found nothing.
    #[error("{{{0}}} has no value yet: the step that captures or sets it has not been played")]
    Value(Box<str>),
    /// The run has no user names.
    #[error("{{username}} and {{password}} need users, and no user names were given: use --user")]
    Identity,
    /// The value is not a number.
    #[error("{} is not a number", quoted(.0))]
    NotANumber(Box<str>),
    /// A file has no row left.
    #[error("the rows of the variable {0} have run out: {1}")]
    Rows(Box<str>, &'static str),
}

/// The values of a user, as texts see them.
pub trait Values {
    /// The user's number.
    fn number(&self) -> u32;

    /// How many scenarios the user began before this one.
    fn iteration(&self) -> u64;

    /// The name and password with which the user logs on.
    fn identity(&self) -> Result<&Identity, Missing>;

    /// Random bits of this scenario.
    fn bits(&mut self) -> u64;

    /// Appends the value of a variable.
    fn write(&self, slot: Slot, out: &mut String) -> Result<(), Missing>;

    /// Appends a value drawn for this use alone, of the variable with this index.
    fn write_fresh(&mut self, variable: u16, out: &mut String) -> Result<(), Missing>;
}
