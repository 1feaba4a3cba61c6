//! A user's event stream: opening it, waiting for events, closing it (HTML Standard, 9.2). It has
//! its own connection, or a stream of the HTTP/2 or HTTP/3 connection.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, User};
use http::HeaderValue;
use http::header::HeaderName;
use serde_json::json;

use super::ask::Ask;
use super::news::News;
use super::session::{Answer, Asked, EventStream, HttpSession};
use super::version::Version;
use crate::connection::Connection;
use crate::connection::http1::Until;
use crate::wire::events::{Event, Events};
use crate::wire::head::Coding;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How long a user waits before it reopens a stream that has ended, by default: as Chrome.
const RETRY_MS: u64 = 3_000;

/// How much of an event a trace keeps.
const MOST_TRACED_CHARS: usize = 2_000;

impl EventStream {
    /// Reads what comes next; `false` if the stream has ended.
    async fn advance(&mut self) -> Result<bool, Fault> {
        if self.take_kept()? {
            return Ok(true); // it came with the head
        }
        let reply = &mut self.answer.reply;
        let came = match (&mut self.lane.connection, &mut self.answer.body) {
            _ if reply.is_over() => return Ok(false),
            (Some(Connection::Http1(connection)), _) => {
                let each = &mut |_: &str, _: &[u8]| {};
                connection.receive(reply, Until::More, each).await
            }
            (Some(connection), Some(rest)) => connection.receive(rest, reply, Until::More).await,
            _ => return Ok(false),
        };
        match came {
            // The loss of its connection ends the stream, and so does its reset (HTTP/2, HTTP/3).
            Err(fault) if !matches!(fault.kind, FaultKind::Disconnected | FaultKind::Refused) => {
                Err(fault)
            }
            came => Ok(self.take_kept()? || came.is_ok() && !self.answer.reply.is_over()),
        }
    }

    /// Takes what has come. Returns whether there was anything.
    fn take_kept(&mut self) -> Result<bool, Fault> {
        let kept = self.answer.reply.drain_kept();
        let taken = self.events.take(&kept);
        taken.map_err(|sentence| Fault::session(FaultKind::Malformed, sentence))?;
        Ok(!kept.is_empty())
    }

    /// Reopens the stream after a while, from the last event on, as browsers do.
    async fn open_again(&mut self, session: &mut HttpSession, user: &User) -> Result<(), Fault> {
        self.events.end();
        let wait_ms = self.events.retry_ms().unwrap_or(RETRY_MS);
        let due_ns = wait_ms.saturating_mul(1_000_000);
        user.sleep_until(user.now_ns().saturating_add(due_ns)).await;
        self.asked
            .headers
            .retain(|(name, _)| *name != LAST_EVENT_ID);
        let last = HeaderValue::from_str(self.events.last_id()).ok();
        let last = last.filter(|last| !last.is_empty());
        self.asked
            .headers
            .extend(last.map(|last| (LAST_EVENT_ID, last)));
        (self.lane, self.answer) = session.begin_stream(&self.ask, &self.asked).await?;
        Ok(())
    }
}

impl HttpSession {
    /// Opens a stream, replacing an open one.
    pub(super) async fn open_stream(
        &mut self,
        ask: &Arc<Ask>,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        self.stream = None;
        let asked = self.texts(ask, user.scope())?;
        let (lane, answer) = self.begin_stream(ask, &asked).await?;
        self.stream = Some(Box::new(EventStream {
            ask: Arc::clone(ask),
            asked,
            lane,
            answer,
            events: Events::default(),
        }));
        Ok(Moved::default())
    }

    /// Requests a stream. Returns its head, and the user whose connection it is on.
    async fn begin_stream(&mut self, ask: &Ask, asked: &Asked) -> Result<(Self, Answer), Fault> {
        let mut connection = None;
        if self.shared.version != Version::Http1 {
            self.connect().await?;
            connection = self.connection.as_ref().and_then(Connection::shared);
        }
        if self.shared.keeps_cookies {
            self.jar.get_or_insert_default();
        }
        let mut lane = self.lane(connection);
        lane.keeps_bodies = true;
        let mut kind = String::new();
        let mut note = |name: &str, value: &[u8]| {
            if name.eq_ignore_ascii_case("content-type") {
                kind = String::from_utf8_lossy(value).into();
            }
        };
        let answer = lane.exchange(ask, asked, Until::Head, &mut note).await?;
        self.note_status(answer.status(), ask, asked); // the token is this user's, not the copy's
        self.shared.accept(&answer, ask, self.number)?;
        let wrong = |sentence: String| Err(Fault::step(FaultKind::Refused, sentence));
        let bare = kind.split(';').next().unwrap_or_default().trim();
        if !bare.eq_ignore_ascii_case("text/event-stream") {
            let kind = headcount_load::fault::words(&kind);
            return wrong(format!(
                "the reply is of type \"{kind}\", not text/event-stream"
            ));
        }
        let coding = answer
            .reply
            .head()
            .map_or(Coding::Identity, |head| head.coding);
        if coding != Coding::Identity {
            return wrong("the event stream is compressed, which cannot be read".into());
        }
        Ok((lane, answer))
    }

    /// Waits for an event.
    pub(super) async fn receive_news(
        &mut self,
        news: &News,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let Some(mut stream) = self.stream.take() else {
            let sentence = "there is no event stream: a step sse-connect must come first";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let received = self.find_news(&mut stream, news, user).await;
        self.stream = Some(stream);
        received
    }

    async fn find_news(
        &mut self,
        stream: &mut EventStream,
        news: &News,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut moved = Moved::default();
        loop {
            while let Some(event) = stream.events.next_event() {
                moved.read_bytes += event.data.len() as u64;
                user.note(|| json!({"message": "received", "text": shown(&event)}));
                if news.take(event, user.scope())? {
                    return Ok(moved);
                }
            }
            if !stream.advance().await? {
                stream.open_again(self, user).await?;
            }
        }
    }
}

fn shown(event: &Event) -> String {
    let data: String = event.data.chars().take(MOST_TRACED_CHARS).collect();
    match &*event.name {
        "message" => data,
        name => format!("{name}: {data}"),
    }
}
