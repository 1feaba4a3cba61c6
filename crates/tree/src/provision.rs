//! Making and deleting the data sets of many users: the part that does not depend on the protocol.
//! It covers the results, and the folder in which Headcount may write and delete.
//!
//! The files have the same names and marks through any protocol: a data set made through one is
//! found complete through another.

use serde::Serialize;

use headcount_load::Pattern;
pub use headcount_load::provision::{OnProgress, Progress};
pub use headcount_load::target::Order;

use crate::data_set::{COMMON_FOLDERS, DataSet};

/// The file that marks a folder as Headcount's, and names its data set.
pub const MARKER: &str = ".headcount";

/// Left free on the volume, so that nothing else on the server runs out of space.
pub const RESERVE_BYTES: u64 = 64 << 20;

/// The most that is read back of a marker: more than any data set writes, whose library may have 64
/// classes.
pub const MOST_MARKER_BYTES: u32 = 16 << 10;

const WARNING: &str = "This folder belongs to Headcount: everything in it is made and deleted by \
                       it. The data set:\n";

/// What was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Prepared {
    /// Users whose files were made, or completed.
    pub created: u32,
    /// Users whose files were complete.
    pub kept: u32,
    /// Bytes written.
    pub written_bytes: u64,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Users whose files are gone.
    pub users: u32,
    /// Files.
    pub files: u64,
    /// Shares on which a data set was found.
    pub shares: u32,
    /// Names in the folder that are not in a data set; they were kept, and so was the folder.
    pub left: u32,
}

/// The state of a folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Ground {
    /// It does not exist.
    Missing,
    /// Empty.
    Empty,
    /// Headcount's, with these contents of its marker.
    Ours(Vec<u8>),
    /// Not empty, and without a marker.
    Theirs,
}

/// The folder around those of the users: `headcount` of `headcount\user{n:05}`. The error is a
/// sentence.
pub fn root(folder: &Pattern) -> Result<String, String> {
    let name = folder.text(0);
    let root = name.rsplit_once('\\').map(|(above, _)| above.to_owned());
    let same_for_all = root.clone().filter(|root| {
        let other = folder.text(1);
        !root.is_empty()
            && other
                .rsplit_once('\\')
                .is_some_and(|(above, _)| above == *root)
    });
    same_for_all.ok_or_else(|| {
        format!(
            "the users' folders need a folder around them that is theirs alone, as in \
             headcount\\user{{n:05}}; they are {name}"
        )
    })
}

/// The contents of a data set's marker file: equal only for equal data sets.
#[must_use]
pub fn inscription(data_set: &DataSet) -> Vec<u8> {
    let figures = serde_json::to_string(data_set).unwrap_or_default(); // numbers serialise
    format!("{WARNING}{figures}\n").into_bytes()
}

/// The marker file of a folder.
#[must_use]
pub fn marker(folder: &str) -> String {
    format!("{folder}\\{MARKER}")
}

/// Whether a name in a root belongs to the data set without being a user's folder.
#[must_use]
pub fn is_common(name: &str) -> bool {
    name == MARKER || COMMON_FOLDERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::library::{Class, Library};

    #[test]
    fn the_longest_marker_can_be_read_back() {
        let class = |number: u32| Class {
            name: format!("{number:040}"),
            content: Content::Compressed,
            bytes: 1 << 40,
            files: 100_000,
            uploads: 10_000,
        };
        let data_set = DataSet {
            seed: u64::MAX,
            library: Library::new((0..64).map(class).collect()),
            ..DataSet::default()
        };
        assert_eq!(data_set.check(), Ok(()));
        let (bytes, most) = (inscription(&data_set).len(), MOST_MARKER_BYTES as usize);
        assert!(bytes > 4096 && bytes < most, "{bytes}");
    }
}
