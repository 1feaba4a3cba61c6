//! What a user has open.

use std::sync::Arc;

use headcount_ring::Target;

use crate::calls::{Call, Calls, Made};

/// An open file or folder.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) target: Target,
    /// Below the folder of the target.
    pub(super) path: Arc<str>,
    pub(super) is_folder: bool,
    /// Whether it is deleted when it is closed.
    pub(super) is_doomed: bool,
    /// Whether it was listed.
    pub(super) is_listed: bool,
}

impl OpenFile {
    /// Closes it, and deletes it if requested.
    pub(super) fn end(self, calls: &mut Calls<'_>) -> Made<()> {
        let gone = if self.is_doomed {
            calls.unlink(&self.path, self.is_folder)
        } else {
            Ok(())
        };
        calls.tally.count(Call::Close);
        drop(self); // of the last handle: closes the file
        gone
    }
}
