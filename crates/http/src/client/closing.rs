//! A connection that the server ends.

use tokio::task::AbortHandle;

use crate::connection::http1::Http1;

/// Closes a connection as soon as the server has, as browsers do: until then a server may keep a
/// worker for it. The user does not wait, because the answer is complete. Dropping this closes the
/// connection at once, so a user has at most one, even if the server never closes it.
#[derive(Debug)]
pub struct Closing(AbortHandle);

impl Closing {
    /// For this connection; `None` if the server has closed it already.
    pub(super) fn with_server(mut connection: Http1) -> Option<Self> {
        if connection.has_ended() {
            return None;
        }
        let task = tokio::spawn(async move { connection.wait_for_close().await });
        Some(Self(task.abort_handle()))
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.abort();
    }
}
