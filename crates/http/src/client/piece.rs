//! Pieces of which texts that users send consist.

use headcount_script::filter::Filter;
use headcount_script::scope::Missing;
use headcount_script::{Scope, Template};

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Plain(Template),
    /// With its values as the insides of JSON strings.
    Json(Template),
}

impl Piece {
    /// Appends the text of a user.
    pub(super) fn write(&self, scope: &mut Scope, out: &mut String) -> Result<(), Missing> {
        match self {
            Self::Plain(template) => template.write(scope, out),
            Self::Json(template) => template.write_encoded(scope, Filter::Json, out),
        }
    }

    /// What it is, where it is the same for all users.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Plain(template) | Self::Json(template) => template.text(),
        }
    }
}
