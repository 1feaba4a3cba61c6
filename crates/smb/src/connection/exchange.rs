//! Sends requests and receives their responses. Before a response, the server may send an interim
//! response, which says that the final one comes later, and oplock or lease breaks. Breaks are
//! acknowledged at once, since the response may wait for that.

use std::future::poll_fn;

use headcount_load::Fault;

use super::Connection;
use super::compose::{Ask, Sent};
use super::faults::malformed;
use super::judge::{Accept, Awaited};
use super::transport::{poll_bytes, send};
use crate::wire::header::{Command, Response};
use crate::wire::oplock::Break;

impl Connection {
    /// The largest payload, up to `limit` bytes, of a request that the granted credits pay for.
    #[must_use]
    pub fn affordable_bytes(&self, limit: u32) -> u32 {
        self.state.affordable_bytes(limit)
    }

    /// Sends a request and has `accept` judge the response's header and body.
    pub async fn exchange<R>(
        &mut self,
        ask: Ask,
        compose: impl FnOnce(&mut Vec<u8>),
        accept: impl FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let sent = self.send(ask, compose).await?;
        self.receive(ask, sent, accept).await
    }

    /// Sends related requests in one frame and has `accept` judge each response, whatever order and
    /// frames they arrive in.
    pub async fn exchange_related(
        &mut self,
        asks: &[Ask],
        compose: impl FnMut(usize, &mut Vec<u8>),
        mut accept: impl FnMut(usize, &Response, &[u8]),
    ) -> Result<(), Fault> {
        let sent = self.send_related(asks, compose).await?;
        self.receive_related(asks, sent, &mut accept).await
    }

    /// Sends a request.
    pub async fn send(
        &mut self,
        ask: Ask,
        compose: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Sent, Fault> {
        let mut compose = Some(compose);
        self.send_related(&[ask], |_, out| {
            if let Some(compose) = compose.take() {
                compose(out);
            }
        })
        .await
    }

    async fn send_related(
        &mut self,
        asks: &[Ask],
        compose: impl FnMut(usize, &mut Vec<u8>),
    ) -> Result<Sent, Fault> {
        let Self {
            stream,
            requests,
            state,
        } = self;
        state.check_credits(asks)?;
        for ask in asks {
            requests.sent(ask.counted);
        }
        send(stream, |out| state.compose(asks, out, compose)).await
    }

    /// Waits for the response to a request.
    pub async fn receive<R>(
        &mut self,
        ask: Ask,
        sent: Sent,
        accept: impl FnOnce(&Response, &[u8]) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let (mut accept, mut answer) = (Some(accept), None);
        let mut take = |_, head: &Response, body: &[u8]| {
            answer = accept.take().map(|accept| accept(head, body));
        };
        self.receive_related(&[ask], sent, &mut take).await?;
        answer.unwrap_or_else(|| Err(malformed(format!("{}: no answer", ask.command.name()))))
    }

    async fn receive_related(
        &mut self,
        asks: &[Ask],
        sent: Sent,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        let mut awaited = Awaited::new(asks, sent);
        loop {
            self.state.judge_kept(&mut awaited, accept)?;
            if !awaited.is_over() && !self.state.can_acknowledge() {
                self.judge_arriving(&mut awaited, accept).await?;
            }
            while let Some(taken) = self.state.take_break() {
                // Boxed: rare, it would otherwise enlarge the future of every exchange.
                Box::pin(self.acknowledge(&taken)).await?;
            }
            if awaited.is_over() {
                return Ok(());
            }
        }
    }

    /// Judges the bytes of one read.
    async fn judge_arriving(
        &mut self,
        awaited: &mut Awaited<'_>,
        accept: &mut Accept<'_>,
    ) -> Result<(), Fault> {
        let Self { stream, state, .. } = self;
        poll_fn(|context| {
            poll_bytes(stream, context, |bytes| {
                state.judge_arrived(bytes, awaited, accept)
            })
        })
        .await
    }

    /// Acknowledges an oplock or lease break. The response is dropped when it arrives.
    async fn acknowledge(&mut self, taken: &Break) -> Result<(), Fault> {
        let ask = Ask::new(Command::OplockBreak, self.state.tree);
        self.send(ask, |out| taken.encode_acknowledgement(out))
            .await
            .map(drop)
    }
}
