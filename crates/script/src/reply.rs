//! What a protocol exposes of a reply, for captures and checks.

use crate::entry::Entry;
use crate::json::Document;

/// A complete reply. A protocol implements what its replies have; the defaults are empty.
pub trait Reply {
    /// Its status.
    fn status(&self) -> u16 {
        0
    }

    /// Its contents, decoded.
    fn body(&self) -> &[u8] {
        &[]
    }

    /// Its size in bytes; for most replies that of its contents.
    fn size(&self) -> u64 {
        self.body().len() as u64
    }

    /// The cache for what has been read of its contents as JSON; `None` to read them each time.
    fn json(&self) -> Option<&Document> {
        None
    }

    /// The values of all its headers with this name, in any case.
    fn headers(&self, name: &str) -> Vec<&str> {
        let _ = name;
        Vec::new()
    }

    /// The value of the user's cookie with this name, as it is after the reply.
    fn cookie(&self, name: &str) -> Option<&str> {
        let _ = name;
        None
    }

    /// Its path, after redirects.
    #[expect(
        clippy::unnecessary_literal_bound,
        reason = "implementations return a part of the reply"
    )]
    fn path(&self) -> &str {
        ""
    }

    /// The values of a column, in the order of the rows; `None` is NULL. The error says that there
    /// is no such column.
    fn column(&self, name: &str) -> Result<Vec<Option<&str>>, String> {
        Err(format!("there is no column \"{}\"", name.escape_default()))
    }

    /// How many rows came, or were changed.
    fn rows(&self) -> u64 {
        0
    }

    /// The UIDs of its messages, in order.
    fn uids(&self) -> &[u32] {
        &[]
    }

    /// The files and folders that it lists, in order.
    fn entries(&self) -> &[Entry] {
        &[]
    }

    /// How long it took, in ms.
    fn took_ms(&self) -> f64 {
        0.0
    }
}
