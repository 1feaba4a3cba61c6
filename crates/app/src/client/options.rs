//! Which server, and what its data set is like.

use std::fmt;

use crate::message::{FILE_BYTES, RANGE_BYTES, Shape};

/// Which server, and what its data set is like.
#[derive(Clone, PartialEq, Eq)]
pub struct AppOptions {
    /// `host:port`.
    pub address: String,
    /// Bytes of each user's file.
    pub file_bytes: u64,
    /// Reads and writes stay within this many bytes from the start of the file.
    pub range_bytes: u64,
    /// The seed of the data set.
    pub seed: u64,
    /// The file of user 0; user `n` has file `first_file + n`. For load from several machines.
    pub first_file: u32,
    /// The server's token, if it has one.
    pub token: Option<String>,
}

impl AppOptions {
    /// `ServerBench`'s data set at this address: 20 MB per user, I/O range 10 MB.
    #[must_use]
    pub fn new(address: impl Into<String>, seed: u64) -> Self {
        Self {
            address: address.into(),
            file_bytes: FILE_BYTES,
            range_bytes: RANGE_BYTES,
            seed,
            first_file: 0,
            token: None,
        }
    }

    /// The shape of the data set's files.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        let Self {
            seed,
            file_bytes,
            range_bytes,
            ..
        } = *self;
        Shape {
            seed,
            file_bytes,
            range_bytes,
        }
    }
}

impl fmt::Debug for AppOptions {
    /// Hides the token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppOptions")
            .field("address", &self.address)
            .field("shape", &self.shape())
            .field("first_file", &self.first_file)
            .finish_non_exhaustive()
    }
}
