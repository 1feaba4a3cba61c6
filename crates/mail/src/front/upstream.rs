//! A connection to an LMTP server, with one open transaction at a time.

use headcount_load::Fault;

use super::route::Destination;
use crate::endpoint::Endpoint;
use crate::smtp::reply::Reply;
use crate::smtp::stuffing::Stuffing;
use crate::smtp::wire::{Wire, malformed};

/// What the front calls itself.
pub const NAME: &str = "headcount.invalid";

/// Bytes of a message that are sent at a time.
const PIECE_BYTES: usize = 64 << 10;

/// The reply to DATA that asks for the message.
const SEND_IT: u16 = 354;

/// A connection that is opened on first use and kept.
#[derive(Debug, Default)]
pub struct Upstream {
    wire: Option<Wire>,
    is_open: bool,
}

impl Upstream {
    /// Fails if the server does not accept a connection or does not speak LMTP.
    pub async fn check(endpoint: &Endpoint) -> Result<(), Fault> {
        connect(endpoint).await.map(|_| ())
    }

    /// Whether a transaction is open.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Sends RCPT, and MAIL first if no transaction is open. Returns the reply to RCPT, or a
    /// refusal of MAIL.
    pub async fn recipient(
        &mut self,
        endpoint: &Endpoint,
        from: &str,
        to: &str,
    ) -> Result<Reply, Fault> {
        if !self.is_open {
            let mail = format!("MAIL FROM:<{from}>");
            // The server may have closed an idle connection: then connect again.
            let asked = match &mut self.wire {
                Some(wire) => ask(wire, &mail).await.ok(),
                None => None,
            };
            let reply = if let Some(reply) = asked {
                reply
            } else {
                self.wire = None;
                let wire = self.wire.insert(connect(endpoint).await?);
                ask(wire, &mail).await?
            };
            if !reply.is_positive() {
                return Ok(reply);
            }
            self.is_open = true;
        }
        self.ask(&format!("RCPT TO:<{to}>")).await
    }

    /// Delivers a message to the `recipients` that the server accepted. Returns a reply for each.
    pub async fn deliver(
        &mut self,
        message: &[u8],
        recipients: usize,
    ) -> Result<Vec<Reply>, Fault> {
        let data = self.ask("DATA").await?;
        if data.code != SEND_IT {
            self.reset().await;
            return Ok(vec![data; recipients]);
        }
        let replies = self.data(message, recipients).await;
        self.is_open = false;
        if replies.is_err() {
            self.wire = None;
        }
        replies
    }

    /// Aborts the transaction, if one is open.
    pub async fn reset(&mut self) {
        if std::mem::take(&mut self.is_open)
            && !self
                .ask("RSET")
                .await
                .is_ok_and(|reply| reply.is_positive())
        {
            self.wire = None;
        }
    }

    async fn data(&mut self, message: &[u8], recipients: usize) -> Result<Vec<Reply>, Fault> {
        let wire = self.wire.as_mut().ok_or_else(not_connected)?;
        let mut stuffing = Stuffing::new();
        let mut pieces = message.chunks(PIECE_BYTES).peekable();
        if message.len() > PIECE_BYTES {
            wire.hurry();
        }
        loop {
            let piece = pieces.next().unwrap_or_default();
            let is_last = pieces.peek().is_none();
            let sent = wire.send(|out| {
                out.extend_from_slice(piece);
                stuffing.stuff(out, 0);
                if is_last {
                    stuffing.end(out);
                }
            });
            if sent.await.is_err() || is_last {
                break; // an error of the connection shows when the replies are read
            }
        }
        let mut replies = Vec::with_capacity(recipients);
        for _ in 0..recipients {
            replies.push(wire.reply().await?);
        }
        Ok(replies)
    }

    async fn ask(&mut self, command: &str) -> Result<Reply, Fault> {
        let wire = self.wire.as_mut().ok_or_else(not_connected)?;
        let reply = ask(wire, command).await;
        if reply.is_err() {
            (self.wire, self.is_open) = (None, false);
        }
        reply
    }
}

fn not_connected() -> Fault {
    malformed("there is no connection to the LMTP server")
}

async fn connect(endpoint: &Endpoint) -> Result<Wire, Fault> {
    let mut wire = Wire::new(endpoint.connect().await?);
    let greeting = wire.reply().await?;
    let reply = if greeting.is_positive() {
        ask(&mut wire, &format!("LHLO {NAME}")).await?
    } else {
        greeting
    };
    if reply.is_positive() {
        return Ok(wire);
    }
    Err(malformed(format!("it does not speak LMTP: {reply}")))
}

async fn ask(wire: &mut Wire, command: &str) -> Result<Reply, Fault> {
    let word = command.split(' ').next().unwrap_or_default();
    wire.ask(word, |out| {
        out.extend_from_slice(command.as_bytes());
        out.extend_from_slice(b"\r\n");
    })
    .await
}

/// Delivers a held message to all its recipients at a destination. Returns how many got it.
pub async fn deliver_later(
    destination: &Destination,
    from: &str,
    to: &[String],
    message: &[u8],
) -> usize {
    let Some(endpoint) = &destination.lmtp else {
        return to.len();
    };
    let mut upstream = Upstream::default();
    let mut taken = 0;
    for to in to {
        match upstream.recipient(endpoint, from, to).await {
            Ok(reply) => taken += usize::from(reply.is_positive()),
            Err(_) => return 0,
        }
    }
    if taken == 0 {
        return 0;
    }
    let replies = upstream.deliver(message, taken).await.unwrap_or_default();
    replies.iter().filter(|reply| reply.is_positive()).count()
}
