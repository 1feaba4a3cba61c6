//! A session's connection: when it is opened, kept and closed.

use std::rc::Rc;

use headcount_load::Fault;
use headcount_net::Transport;

use super::closing::Closing;
use super::method::Method;
use super::session::{Answer, HttpSession};
use super::version::Version;
use crate::connection::{Connection, Http1, Http2, Http3};

impl HttpSession {
    /// Closes the connection after a complete answer, unless it is kept. The server closes first,
    /// so that its side is the one in `TIME_WAIT` (RFC 9293, 3.6.1).
    pub(super) async fn settle(&mut self, answer: &Answer) -> Result<(), Fault> {
        let Some(Connection::Http1(connection)) = &mut self.connection else {
            return Ok(());
        };
        let keeps_alive = answer.reply.head().is_some_and(|head| head.keeps_alive);
        connection.is_spent |= !keeps_alive;
        if !self.shared.keeps_alive {
            connection.wait_for_close().await?;
            self.connection = None;
        } else if connection.is_spent
            && let Some(Connection::Http1(connection)) = self.connection.take()
        {
            self.closing = Closing::with_server(connection);
        }
        Ok(())
    }

    /// Connects, unless there is a usable connection.
    pub(super) async fn connect(&mut self) -> Result<(), Fault> {
        if self.pending.take().is_some() {
            self.connection = None; // an answer was not read to its end
        }
        let is_usable = match &mut self.connection {
            None => false,
            Some(Connection::Http1(http1)) => !http1.is_spent && !http1.is_stale().await?,
            Some(Connection::Http2(http2)) => !http2.is_stale().await,
            Some(Connection::Http3(http3)) => !http3.is_stale().await,
        };
        if is_usable {
            return Ok(());
        }
        self.connection = None;
        self.requests.sent(Method::CONNECT);
        let shared = &self.shared;
        let tls = self.tls.as_deref().or(shared.tls.as_ref());
        let named = |fault: Fault| shared.unreachable(&fault);
        if let (Version::Http3, Some(tls)) = (shared.version, tls) {
            let opened = Http3::establish(&shared.addresses, &shared.answered, tls);
            let opened = Box::pin(opened).await;
            self.connection = Some(Connection::Http3(Rc::new(opened.map_err(named)?)));
            return Ok(());
        }
        let transport = Transport::establish(&shared.addresses, tls)
            .await
            .map_err(named)?;
        self.connection = Some(if shared.version == Version::Http2 {
            let opened = Box::pin(Http2::establish(transport)).await;
            Connection::Http2(Rc::new(opened.map_err(named)?))
        } else {
            Connection::Http1(Http1::new(transport, shared.reading))
        });
        Ok(())
    }

    /// Closes the connection. Waits until the server does, if the request asked it to.
    pub(super) async fn disconnect(&mut self) -> Result<(), Fault> {
        let unread = self.pending.take().is_some();
        if let Some(pool) = &mut self.pool {
            pool.disconnect();
        }
        match self.connection.take() {
            Some(Connection::Http1(mut http1)) if http1.is_spent && !unread => {
                http1.wait_for_close().await
            }
            _ => Ok(()),
        }
    }
}
