//! What a protocol shows of a reply to those who take values from it.

use crate::json::Document;

/// A reply that has come whole.
pub trait Reply {
    /// Its status.
    fn status(&self) -> u16;

    /// Its contents, decoded.
    fn body(&self) -> &[u8];

    /// Where to keep what has been read of its contents as JSON; None to read them each time.
    fn json(&self) -> Option<&Document> {
        None
    }

    /// The values of all its headers with this name, in any case.
    fn headers(&self, name: &str) -> Vec<&str>;

    /// The value of the user's cookie with this name, after the reply.
    fn cookie(&self, name: &str) -> Option<&str>;

    /// The path that it is of, after redirects.
    fn path(&self) -> &str;
}
