//! An open file or folder on a server.

use crate::wire::FileId;
use crate::wire::create::Oplock;

/// An open file or folder.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) id: FileId,
    /// Needed to reclaim the handle after a lost connection, if the handle is durable.
    pub(super) claim: Option<Claim>,
    /// The path below the share, for messages.
    pub(super) path: String,
}

/// What a user sends to reclaim a durable handle.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) oplock: Oplock,
    /// The client's id of the handle, from dialect 3.0 on.
    pub(super) number: Option<[u8; 16]>,
}

impl OpenFile {
    /// A file whose handle ends with its connection.
    pub(super) const fn plain(id: FileId, path: String) -> Self {
        Self {
            id,
            claim: None,
            path,
        }
    }
}
