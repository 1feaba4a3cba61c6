//! A WebSocket (RFC 6455): messages both ways on a connection of their own.

use futures_util::{FutureExt, SinkExt, StreamExt};
use headcount_load::Fault;
use headcount_net::Transport;
use http::{HeaderMap, Request, StatusCode};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::received::MOST_KEPT_BYTES;
use crate::connection::{lost, malformed};

/// Bytes of the read buffer: thousands of users have one each.
const READ_BYTES: usize = 4 << 10;

/// A WebSocket.
#[derive(Debug)]
pub(super) struct Socket {
    stream: WebSocketStream<Transport>,
}

/// A server's answer to the request for a WebSocket, with its headers.
pub(super) enum Opened {
    /// It is open.
    Socket(Box<Socket>, HeaderMap),
    /// It is not, with this status.
    Refused(StatusCode, HeaderMap),
}

impl Socket {
    /// Opens a WebSocket with this request.
    pub(super) async fn open(request: Request<()>, transport: Transport) -> Result<Opened, Fault> {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(MOST_KEPT_BYTES))
            .max_frame_size(Some(MOST_KEPT_BYTES));
        let opened = tokio_tungstenite::client_async_with_config(request, transport, Some(config));
        match opened.await {
            Ok((stream, answer)) => {
                let (head, _) = answer.into_parts();
                Ok(Opened::Socket(Box::new(Self { stream }), head.headers))
            }
            Err(Error::Http(answer)) => {
                let (head, _) = answer.into_parts();
                Ok(Opened::Refused(head.status, head.headers))
            }
            Err(error) => Err(fault(&error)),
        }
    }

    /// Skips the messages that have come already; returns how many bytes they had.
    pub(super) fn pass_over(&mut self) -> Result<u64, Fault> {
        let mut bytes = 0;
        while let Some(message) = self.stream.next().now_or_never() {
            bytes += contents(message)?.map_or(0, |text| text.len() as u64);
        }
        Ok(bytes)
    }

    /// Sends a text.
    pub(super) async fn send(&mut self, text: String) -> Result<(), Fault> {
        let sent = self.stream.send(Message::text(text)).await;
        sent.map_err(|error| fault(&error))
    }

    /// The next message, text or bytes.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>, Fault> {
        loop {
            if let Some(text) = contents(self.stream.next().await)? {
                return Ok(text);
            }
        }
    }

    /// Closes the WebSocket, and waits until the server agrees; returns how many bytes came
    /// meanwhile.
    pub(super) async fn close(mut self) -> u64 {
        let mut bytes = 0;
        if self.stream.close(None).await.is_ok() {
            while let Some(Ok(message)) = self.stream.next().await {
                bytes += message.len() as u64;
            }
        }
        bytes
    }
}

/// The fault for an error of the WebSocket.
fn fault(error: &Error) -> Fault {
    match error {
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Io(_)
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete,
        ) => lost(format!("the WebSocket is closed: {error}")),
        other => malformed(format!("of the WebSocket: {other}")),
    }
}

/// The text or bytes of a message; `None` for control frames.
fn contents(message: Option<Result<Message, Error>>) -> Result<Option<Vec<u8>>, Fault> {
    match message {
        None => Err(lost("the server closed the WebSocket")),
        Some(Err(error)) => Err(fault(&error)),
        Some(Ok(Message::Text(text))) => Ok(Some(text.as_bytes().to_vec())),
        Some(Ok(Message::Binary(bytes))) => Ok(Some(bytes.to_vec())),
        Some(Ok(Message::Close(Some(frame)))) => Err(lost(format!(
            "the server closed the WebSocket: {} {}",
            u16::from(frame.code),
            frame.reason.escape_debug()
        ))),
        Some(Ok(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::FaultKind;

    use super::*;

    #[test]
    fn a_connection_that_the_server_just_closes_is_lost() {
        for (error, kind) in [
            (
                ProtocolError::ResetWithoutClosingHandshake,
                FaultKind::Disconnected,
            ),
            (ProtocolError::HandshakeIncomplete, FaultKind::Disconnected),
            (ProtocolError::ReceivedAfterClosing, FaultKind::Malformed),
        ] {
            assert_eq!(fault(&Error::Protocol(error)).kind, kind);
        }
    }
}
