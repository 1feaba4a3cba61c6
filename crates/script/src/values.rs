//! The values that texts are written with, and why there may be none.

use crate::names::Slot;

/// As whom a user logs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: Box<str>,
    /// The password.
    pub password: Box<str>,
}

/// Why a text has no value for a user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The step that gives this variable a value has not been played, or found nothing.
    #[error("{{{0}}} has no value yet: the step that captures or sets it has not been played")]
    Value(Box<str>),
    /// Nobody named the users.
    #[error("{{username}} and {{password}} need users, and no user names were given: use --user")]
    Identity,
    /// It should be a number.
    #[error("\"{0}\" is not a number")]
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

    /// As whom the user logs on.
    fn identity(&self) -> Result<&Identity, Missing>;

    /// Random bits of this scenario.
    fn bits(&mut self) -> u64;

    /// Appends the value of a variable.
    fn write(&self, slot: Slot, out: &mut String) -> Result<(), Missing>;

    /// Appends a value drawn for this place alone, of the variable with this index.
    fn write_fresh(&mut self, variable: u16, out: &mut String) -> Result<(), Missing>;
}
