//! The pieces of texts that users send.

use headcount_script::filter::Filter;
use headcount_script::scope::Missing;
use headcount_script::{Scope, Template};

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Plain(Template),
    /// With its values escaped for a JSON string.
    Json(Template),
    /// A name between quotes, as browsers write it (HTML Standard, 4.10.21.8).
    Quoted(Template),
}

impl Piece {
    /// Appends the text of a user.
    pub(super) fn write(&self, scope: &mut Scope, out: &mut String) -> Result<(), Missing> {
        match self {
            Self::Plain(template) => template.write(scope, out),
            Self::Json(template) => template.write_encoded(scope, Filter::Json, out),
            Self::Quoted(template) => {
                out.push_str(&quoted(&template.render(scope)?));
                Ok(())
            }
        }
    }

    /// Its text, if it is the same for all users.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Plain(template) | Self::Json(template) => template.text(),
            Self::Quoted(_) => None,
        }
    }
}

/// A name as browsers write it between quotes.
pub(super) fn quoted(name: &str) -> String {
    name.replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}
