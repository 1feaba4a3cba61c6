//! What a user has open on a server.

use crate::wire::FileId;
use crate::wire::create::Oplock;

/// An open file or folder.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) id: FileId,
    /// What the user shows to have it back after a lost connection, if the server keeps it.
    pub(super) claim: Option<Claim>,
    /// Below the share, for messages.
    pub(super) path: String,
}

/// What a user shows to have a handle back.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) oplock: Oplock,
    /// The client's number of the handle, from dialect 3.0 on.
    pub(super) number: Option<[u8; 16]>,
}

impl OpenFile {
    /// One that ends with its connection.
    pub(super) const fn plain(id: FileId, path: String) -> Self {
        Self {
            id,
            claim: None,
            path,
        }
    }
}
