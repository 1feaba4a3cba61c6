//! What a user does with its WebSocket: opening it by a request, and steps of messages.

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_net::Transport;
use headcount_script::Reply;
use headcount_script::json::Document;
use http::header::{
    CONNECTION, HOST, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, SET_COOKIE, UPGRADE,
};
use http::{HeaderValue, Request};
use serde_json::json;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;

use super::Shared;
use super::ask::{Ask, Method};
use super::exchange::{Personal, unix_s};
use super::message::Messages;
use super::session::HttpSession;
use super::socket::Socket;
use crate::connection::malformed;

/// How much of a message is kept for somebody who tries a workload.
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
    /// Opens a WebSocket, in the place of one that is open.
    pub(super) async fn open_socket(&mut self, ask: &Ask, user: &mut User) -> Result<Moved, Fault> {
        self.socket = None;
        let asked = self.texts(ask, user.scope())?;
        let path = self.shared.path(ask, &asked);
        self.prove(ask, &asked);
        self.requests.sent(Method::CONNECT);
        self.requests.sent(Method::Get.kind());
        let mut cookies = String::new();
        if let Some(jar) = &self.jar {
            let site = self.shared.base.site();
            jar.borrow().write(&path, site, unix_s(), &mut cookies);
        }
        let personal = Personal {
            authorization: self.authorization.as_deref(),
            cookies,
        };
        let mut request = self.shared.request(ask, &asked, &personal)?;
        self.shared.ask_for_socket(&mut request, &path)?;
        let shared = &self.shared;
        let tls = shared.socket_tls.as_ref().or(shared.tls.as_ref());
        let transport = Transport::establish(&shared.addresses, tls).await;
        let transport = transport.map_err(|fault| shared.unreachable(&fault))?;
        transport.hurry();
        let opened = Socket::open(request, transport).await;
        if let Err(fault) = &opened
            && fault.message.starts_with("status 401 ")
        {
            self.note_status(401, ask, &asked);
        }
        let (socket, answer) = opened?;
        if self.shared.keeps_cookies {
            for value in answer.headers().get_all(SET_COOKIE) {
                let (jar, site) = (self.jar.get_or_insert_default(), self.shared.base.site());
                jar.borrow_mut()
                    .set(value.as_bytes(), site, &path, unix_s());
            }
        }
        self.socket = Some(Box::new(socket));
        Ok(Moved::default())
    }

    /// Sends a message, or waits for one, or both.
    pub(super) async fn exchange_messages(
        &mut self,
        messages: &Messages,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let Some(socket) = &mut self.socket else {
            let sentence = "there is no WebSocket: a step ws-connect must come before";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let mut moved = Moved::default();
        if let Some(text) = messages.text(user.scope())? {
            moved.read_bytes += socket.pass_over()?; // what came before is no answer to it
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

impl Shared {
    /// Makes a request one that opens a WebSocket (RFC 6455, 4.1), of a page of this site.
    fn ask_for_socket(&self, request: &mut Request<()>, path: &str) -> Result<(), Fault> {
        let wrong = |error: http::Error| malformed(error.to_string());
        let scheme = if self.base.is_tls { "wss" } else { "ws" };
        let address = format!("{scheme}://{}{path}", self.authority);
        *request.uri_mut() = address
            .parse()
            .map_err(|error: http::uri::InvalidUri| malformed(format!("{path}: {error}")))?;
        let value = |text: &str| HeaderValue::from_str(text).map_err(|error| wrong(error.into()));
        let origin = format!("{}://{}", self.scheme, self.authority);
        let headers = request.headers_mut();
        headers.insert(HOST, value(self.authority.as_str())?);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        headers.insert(SEC_WEBSOCKET_KEY, value(&generate_key())?);
        if !headers.contains_key(ORIGIN) {
            headers.insert(ORIGIN, value(&origin)?);
        }
        Ok(())
    }
}
