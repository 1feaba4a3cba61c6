//! A user's WebSocket: steps that exchange messages, and closing it.

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_script::Reply;
use headcount_script::json::Document;
use serde_json::json;

use super::message::Messages;
use super::session::HttpSession;

/// How much of a message a trace keeps.
const MOST_TRACED_CHARS: usize = 2_000;

/// A message that has come, as captures and checks see it.
struct Received {
    text: Vec<u8>,
    json: Document,
}

impl Reply for Received {
    fn body(&self) -> &[u8] {
        &self.text
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }
}

impl HttpSession {
    /// Sends a message, or waits for one, or both.
    pub(super) async fn exchange_messages(
        &mut self,
        messages: &Messages,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let Some(socket) = &mut self.socket else {
            let sentence = "there is no WebSocket: a step ws-connect must come first";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let mut moved = Moved::default();
        if let Some(text) = messages.text(user.scope())? {
            moved.read_bytes += socket.pass_over()?; // what came before does not answer it
            moved.written_bytes = text.len() as u64;
            user.note(|| json!({"message": "sent", "text": shown(&text)}));
            socket.send(text).await?;
        }
        if !messages.waits {
            return Ok(moved);
        }
        loop {
            let text = socket.next().await?;
            moved.read_bytes += text.len() as u64;
            user.note(|| {
                let text = String::from_utf8_lossy(&text);
                json!({"message": "received", "text": shown(&text)})
            });
            let received = Received {
                text,
                json: Document::default(),
            };
            if messages.take(&received, user.scope())? {
                return Ok(moved);
            }
        }
    }

    /// Closes the WebSocket, if there is one.
    pub(super) async fn close_socket(&mut self) -> Result<Moved, Fault> {
        let read_bytes = match self.socket.take() {
            Some(socket) => socket.close().await,
            None => 0,
        };
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }
}

fn shown(text: &str) -> String {
    text.chars().take(MOST_TRACED_CHARS).collect()
}
