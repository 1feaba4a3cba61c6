//! What the names of steps mean.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};

use super::FileSession;
use super::backend::FileBackend;
use crate::block::Owner;
use crate::content::Content;
use crate::data_set::Place;
use crate::named::Named;

/// The number in blocks of files outside the data set: above those of every group.
const OWN_FILE: u32 = 0xff << 24;

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// A place of the data set.
    Place(Place),
    /// A path given by the workload, which may contain anything.
    Own(Arc<str>),
}

impl Meant {
    /// Its place in the data set; None for other paths.
    pub const fn place(&self) -> Option<Place> {
        match self {
            Self::Place(place) => Some(*place),
            Self::Own(_) => None,
        }
    }
}

impl<B: FileBackend> FileSession<B> {
    /// What a name means, and its path.
    pub(super) fn resolve(
        &self,
        named: &Named,
        slot: u8,
        user: &mut User,
    ) -> Result<(Meant, String), Fault> {
        let name = match named {
            Named::Of(name) => name,
            Named::Own(own) => {
                let path = own.of(user)?;
                return Ok((Meant::Own(path.as_str().into()), path));
            }
        };
        let refused = |sentence: String| Fault::step(FaultKind::Refused, sentence);
        let drawn = name.draw(&self.tree.data_set, user.stream());
        let meant = match drawn.map_err(refused)? {
            Some(place) => Meant::Place(place),
            None => self.last[usize::from(name.of.unwrap_or(slot))]
                .clone()
                .ok_or_else(|| {
                    let sentence = "\"same\" means the name last opened in this slot; none was";
                    refused(sentence.to_owned())
                })?,
        };
        let path = self.path(named, &meant);
        Ok((meant, path))
    }

    /// The path of a name that resolves to `meant`.
    pub(super) fn path(&self, named: &Named, meant: &Meant) -> String {
        let path = match meant {
            Meant::Place(place) => self.tree.path(self.number, *place),
            Meant::Own(path) => path.to_string(),
        };
        match named {
            Named::Of(name) => around(path, &name.before, &name.after),
            Named::Own(_) => path,
        }
    }

    /// The owner that blocks written there carry.
    pub(super) fn owner(&self, place: Option<Place>) -> Owner {
        match place {
            Some(place) => self.tree.data_set.owner(self.number, place),
            None => Owner {
                user: self.number,
                file: OWN_FILE,
                seed: self.tree.data_set.seed,
                content: Content::default(),
            },
        }
    }

    /// Whether data read from there is compared with what Headcount wrote.
    pub(super) fn is_checked(&self, place: Option<Place>) -> bool {
        self.tree.verify && place.is_some()
    }
}

/// The fault of a step that needs a figure which the data set lacks for this file.
pub(super) fn needs(path: &str, step: &str, what: &str) -> Fault {
    let sentence = format!(
        "\"{path}\": the data set gives this file no size, so its {step} needs {what} of its own"
    );
    Fault::step(FaultKind::Refused, sentence)
}

/// A path with a prefix and a suffix on its last part.
fn around(path: String, before: &str, after: &str) -> String {
    if before.is_empty() && after.is_empty() {
        return path;
    }
    match path.rsplit_once('\\') {
        Some((folder, last)) => format!("{folder}\\{before}{last}{after}"),
        None => format!("{before}{path}{after}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affixes_are_put_around_the_last_part() {
        let named = |path: &str, before, after| around(path.to_owned(), before, after);
        assert_eq!(named(r"a\b\c.doc", "~$", ".tmp"), r"a\b\~$c.doc.tmp");
        assert_eq!(named("c.doc", "~", ""), "~c.doc");
        assert_eq!(named(r"a\c.doc", "", ""), r"a\c.doc");
    }
}
