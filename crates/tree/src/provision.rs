//! Making and deleting the data sets of many users, as far as no protocol is concerned: whose files,
//! what came of it, and the folder in which Headcount may write and delete.
//!
//! Whatever protocol reaches the files, they bear the same names and marks: a data set made through
//! one is found complete through another.

use serde::Serialize;

use headcount_load::Pattern;
pub use headcount_load::provision::{OnProgress, Progress};
pub use headcount_load::target::Order;

use crate::data_set::{COMMON_FOLDERS, DataSet};

/// The file that says that a folder is Headcount's, and which data set is in it.
pub const MARKER: &str = ".headcount";

/// Left free on the volume, so that nothing else on the server runs into its end.
pub const RESERVE_BYTES: u64 = 64 << 20;

const WARNING: &str = "This folder belongs to Headcount: everything in it is made and deleted by \
                       it. The data set:\n";

/// What was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Prepared {
    /// Users whose files were made, or made whole.
    pub created: u32,
    /// Users whose files were there.
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
    /// Names in the folder that no data set has; they were left, and so was the folder.
    pub left: u32,
}

/// What a folder is.
#[derive(Debug, PartialEq, Eq)]
pub enum Ground {
    /// Not there.
    Missing,
    /// There, with nothing in it.
    Empty,
    /// Headcount's, with this in its marker.
    Ours(Vec<u8>),
    /// There, with something in it and no marker.
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

/// What marker files say of a data set: equal for equal data sets only.
#[must_use]
pub fn inscription(data_set: &DataSet) -> Vec<u8> {
    let figures = serde_json::to_string(data_set).unwrap_or_default(); // numbers always have a form
    format!("{WARNING}{figures}\n").into_bytes()
}

/// The marker file of a folder.
#[must_use]
pub fn marker(folder: &str) -> String {
    format!("{folder}\\{MARKER}")
}

/// Whether a name in a root is no user's folder, but the data set's all the same.
#[must_use]
pub fn is_common(name: &str) -> bool {
    name == MARKER || COMMON_FOLDERS.contains(&name)
}
