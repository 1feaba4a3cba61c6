//! A connection that the server ends.

use tokio::task::AbortHandle;

use crate::connection::http1::Http1;

/// Closes a connection as soon as the server has, as browsers do: a server may keep a worker for it
/// until then. Nobody waits for that, for the answer is complete. Dropped, it closes the connection at
/// once: a user has one such connection at most, also where a server never ends it.
#[derive(Debug)]
pub struct Closing(AbortHandle);

impl Closing {
    /// Of this connection; `None` if the server has closed it already.
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
