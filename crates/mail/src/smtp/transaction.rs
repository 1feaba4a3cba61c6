//! One message.

use headcount_load::{Fault, FaultKind};

use super::connection::{Language, Smtp};
use super::reply::Reply;
use super::stuffing::Stuffing;
use super::wire::{after, malformed};
use crate::message::Body;
use crate::task::Task;

/// The reply to DATA that asks for the message.
const SEND_IT: u16 = 354;

/// Most recipients that are named before the answers are read: neither side's socket can fill up
/// with them (RFC 2920, 3.1).
const GROUP: usize = 100;

/// Bytes of a message from which on they are handed to the kernel; messages of people are fewer.
const WRITE_BYTES: usize = 64 << 10;

/// What became of a message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The server took charge of it, or delivered it (LMTP).
    Accepted,
    /// The server refused it with this reply.
    Refused(Reply),
}

/// Whether all recipients have it; otherwise a fault that names the first one who has not, and says
/// how many. The session can go on.
pub fn all_accepted(to: &[&str], outcomes: &[Outcome]) -> Result<(), Fault> {
    let mut refused = to
        .iter()
        .zip(outcomes)
        .filter_map(|(to, outcome)| match outcome {
            Outcome::Accepted => None,
            Outcome::Refused(reply) => Some((to, reply)),
        });
    let Some((first, reply)) = refused.next() else {
        return Ok(());
    };
    let (count, of) = (refused.count() + 1, outcomes.len());
    let sentence = format!("<{first}>: {reply} ({count} of {of} recipients refused)");
    Err(Fault::step(FaultKind::Refused, sentence))
}

impl Smtp {
    /// Sends a message: what became of it for each recipient, in their order. At least one has it;
    /// that none has is a fault, after which the connection can be used unless the fault says
    /// otherwise. Commands go together where the server offers PIPELINING.
    ///
    /// It is timed as one task, which failed if one recipient was refused.
    pub async fn send(
        &mut self,
        from: &str,
        to: &[&str],
        message: &impl Body,
    ) -> Result<Vec<Outcome>, Fault> {
        let began_ns = self.stopwatch.now_ns();
        let sent = self.transact(from, to, message).await;
        let noted = match &sent {
            Ok(outcomes) => all_accepted(to, outcomes),
            Err(fault) => Err(fault.clone()),
        };
        Task::SmtpMessage.note(&self.stopwatch, began_ns, &noted);
        sent
    }

    async fn transact(
        &mut self,
        from: &str,
        to: &[&str],
        message: &impl Body,
    ) -> Result<Vec<Outcome>, Fault> {
        self.check(from, to, message)?;
        let (mut outcomes, data) = if self.offered.pipelining {
            self.envelope_at_once(from, to, message).await?
        } else {
            self.envelope_in_turn(from, to, message).await?
        };
        let accepted = outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::Accepted)
            .count();
        if data.code != SEND_IT {
            self.is_unfinished = true;
            all_accepted(to, &outcomes)?;
            return Err(refused("DATA", &data));
        }
        if accepted == 0 {
            return Err(self.send_nothing(to, &outcomes).await);
        }
        self.data(message).await?;
        match self.language {
            Language::Smtp => {
                let reply = self
                    .wire
                    .reply()
                    .await
                    .map_err(|fault| after("end of data", &fault))?;
                if !reply.is_positive() {
                    return Err(refused("end of data", &reply));
                }
            }
            Language::Lmtp => self.deliveries(&mut outcomes).await?,
        }
        if !outcomes.contains(&Outcome::Accepted) {
            all_accepted(to, &outcomes)?;
        }
        Ok(outcomes)
    }

    fn check(&self, from: &str, to: &[&str], message: &impl Body) -> Result<(), Fault> {
        let refuse = |sentence: String| Err(Fault::step(FaultKind::Refused, sentence));
        if to.is_empty() {
            return refuse("a message needs a recipient".into());
        }
        let is_odd = |address: &&str| address.chars().any(|c| c.is_control() || "<> ".contains(c));
        if let Some(odd) = to.iter().copied().chain([from]).find(is_odd) {
            return refuse(format!("\"{}\" is not an address", odd.escape_default()));
        }
        if let Some(most) = self.offered.most_bytes.filter(|&most| message.len() > most) {
            let bytes = message.len();
            return refuse(format!(
                "the server accepts at most {most} bytes, the message has {bytes}"
            ));
        }
        if message.is_8bit() && !self.offered.eight_bit {
            return refuse("the message has bytes over 127, but the server accepts none".into());
        }
        Ok(())
    }

    /// What MAIL says of the message (RFC 1870, RFC 6152).
    fn mail(&self, from: &str, message: &impl Body, out: &mut Vec<u8>) {
        extend(out, &["MAIL FROM:<", from, ">"]);
        if self.offered.size {
            extend(out, &[" SIZE=", &message.len().to_string()]);
        }
        if message.is_8bit() {
            extend(out, &[" BODY=8BITMIME"]);
        }
        extend(out, &["\r\n"]);
    }

    /// RSET if needed, MAIL, all RCPT and DATA, as few writes as can be. Returns the outcomes, and the
    /// answer to DATA.
    async fn envelope_at_once(
        &mut self,
        from: &str,
        to: &[&str],
        message: &impl Body,
    ) -> Result<(Vec<Outcome>, Reply), Fault> {
        let mut outcomes = Vec::with_capacity(to.len());
        for (index, group) in to.chunks(GROUP).enumerate() {
            let (is_first, is_last) = (index == 0, outcomes.len() + group.len() == to.len());
            let resets = is_first && self.is_unfinished;
            let mut commands = Vec::new();
            if is_first {
                self.mail(from, message, &mut commands);
            }
            // An error in writing shows in reading, and the server may have said why.
            let _ = self
                .wire
                .send(|out| {
                    if resets {
                        extend(out, &["RSET\r\n"]);
                    }
                    out.append(&mut commands);
                    for to in group {
                        extend(out, &["RCPT TO:<", to, ">\r\n"]);
                    }
                    if is_last {
                        extend(out, &["DATA\r\n"]);
                    }
                })
                .await;
            if resets {
                self.reset().await?;
            }
            let mail = if is_first {
                Some(self.answer("MAIL").await?)
            } else {
                None
            };
            for _ in group {
                let reply = self.answer("RCPT").await?;
                outcomes.push(outcome(reply));
            }
            if let Some(mail) = mail.filter(|mail| !mail.is_positive()) {
                return Err(self.abandon(&mail, is_last).await);
            }
        }
        let data = self.answer("DATA").await?;
        Ok((outcomes, data))
    }

    /// MAIL was refused; the commands that went with it are to be refused too.
    async fn abandon(&mut self, mail: &Reply, with_data: bool) -> Fault {
        if with_data {
            match self.answer("DATA").await {
                Err(fault) => return fault,
                Ok(data) if data.code == SEND_IT => {
                    return malformed("the server refused MAIL but accepted DATA");
                }
                Ok(_) => {}
            }
        }
        refused("MAIL", mail)
    }

    /// The same for servers that want to answer each command before the next.
    async fn envelope_in_turn(
        &mut self,
        from: &str,
        to: &[&str],
        message: &impl Body,
    ) -> Result<(Vec<Outcome>, Reply), Fault> {
        if self.is_unfinished {
            let _ = self.wire.send(|out| extend(out, &["RSET\r\n"])).await; // shows in reading
            self.reset().await?;
        }
        let mut command = Vec::new();
        self.mail(from, message, &mut command);
        let mail = self
            .wire
            .ask("MAIL", |out| out.append(&mut command))
            .await?;
        if !mail.is_positive() {
            return Err(refused("MAIL", &mail));
        }
        let mut outcomes = Vec::with_capacity(to.len());
        for to in to {
            let asked = self
                .wire
                .ask("RCPT", |out| extend(out, &["RCPT TO:<", to, ">\r\n"]));
            outcomes.push(outcome(asked.await?));
        }
        if !outcomes.contains(&Outcome::Accepted) {
            self.is_unfinished = true;
            all_accepted(to, &outcomes)?;
        }
        let data = self
            .wire
            .ask("DATA", |out| extend(out, &["DATA\r\n"]))
            .await?;
        Ok((outcomes, data))
    }

    async fn reset(&mut self) -> Result<(), Fault> {
        let reply = self.answer("RSET").await?;
        if !reply.is_positive() {
            return Err(malformed(format!("the server refused RSET: {reply}")));
        }
        self.is_unfinished = false;
        Ok(())
    }

    async fn answer(&mut self, command: &str) -> Result<Reply, Fault> {
        self.wire
            .reply()
            .await
            .map_err(|fault| after(command, &fault))
    }

    /// Nobody is to have the message, but the server asks for it: an empty one ends the transaction
    /// (RFC 2920, 3.1).
    async fn send_nothing(&mut self, to: &[&str], outcomes: &[Outcome]) -> Fault {
        if self.language == Language::Lmtp {
            // It has no reply to give, so nobody could know when it is done.
            return malformed("the server accepted DATA without a recipient");
        }
        match self
            .wire
            .ask("end of data", |out| extend(out, &[".\r\n"]))
            .await
        {
            Err(fault) => fault,
            Ok(_) => match all_accepted(to, outcomes) {
                Err(fault) => fault,
                Ok(()) => malformed("the server accepted DATA without a recipient"),
            },
        }
    }

    /// Sends the message itself, in pieces.
    async fn data(&mut self, message: &impl Body) -> Result<(), Fault> {
        // Dots that are doubled may make it too long for one.
        if message.len() > WRITE_BYTES as u64 / 2 {
            self.wire.hurry();
        }
        let (mut at, mut stuffing) = (0, Stuffing::new());
        loop {
            let sent = self
                .wire
                .send(|out| {
                    while at < message.len() && out.len() < WRITE_BYTES {
                        let from = out.len();
                        message.write_piece(at, out);
                        at += (out.len() - from) as u64;
                        stuffing.stuff(out, from);
                    }
                    if at >= message.len() {
                        stuffing.end(out);
                    }
                })
                .await;
            if sent.is_err() || at >= message.len() {
                // The server may have said why it stopped listening: that is read next.
                return Ok(());
            }
        }
    }

    /// LMTP's replies: one for each recipient that was accepted so far, in their order.
    async fn deliveries(&mut self, outcomes: &mut [Outcome]) -> Result<(), Fault> {
        for outcome in outcomes
            .iter_mut()
            .filter(|outcome| **outcome == Outcome::Accepted)
        {
            let reply = self
                .wire
                .reply()
                .await
                .map_err(|fault| after("end of data", &fault))?;
            *outcome = self::outcome(reply);
        }
        Ok(())
    }
}

fn outcome(reply: Reply) -> Outcome {
    if reply.is_positive() {
        Outcome::Accepted
    } else {
        Outcome::Refused(reply)
    }
}

fn refused(command: &str, reply: &Reply) -> Fault {
    Fault::step(FaultKind::Refused, format!("{command}: {reply}"))
}

fn extend(out: &mut Vec<u8>, words: &[&str]) {
    for word in words {
        out.extend_from_slice(word.as_bytes());
    }
}
