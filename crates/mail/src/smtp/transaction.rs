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

/// Most recipients that are sent before the replies are read, so that neither side's socket fills
/// up (RFC 2920, 3.1).
const GROUP: usize = 100;

/// Bytes of a message that are written at a time; most messages of people are smaller.
const WRITE_BYTES: usize = 64 << 10;

/// The outcome of a message for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The server accepted it, or delivered it (LMTP).
    Accepted,
    /// The server refused it with this reply.
    Refused(Reply),
}

/// Fails if the server refused a recipient. The fault names the first and the number of them, and
/// leaves the session usable.
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
    /// Sends a message. Returns the outcome for each recipient, in order, of which at least one is
    /// accepted. It is a fault if all are refused; the connection stays usable unless the fault
    /// ends the session. Sends commands together if the server offers PIPELINING.
    ///
    /// Timed as one task, which fails if one recipient is refused.
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

    /// Appends MAIL with size and encoding of the message (RFC 1870, RFC 6152).
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

    /// Sends RSET if needed, MAIL, all RCPT and DATA, in as few writes as possible. Returns the
    /// outcomes and the reply to DATA.
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
            // A write error shows again on reading, and the server may have sent the reason.
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

    /// The fault of a refused MAIL. Reads the reply to DATA, which must be a refusal, too.
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

    /// The same for servers without PIPELINING.
    async fn envelope_in_turn(
        &mut self,
        from: &str,
        to: &[&str],
        message: &impl Body,
    ) -> Result<(Vec<Outcome>, Reply), Fault> {
        if self.is_unfinished {
            let _ = self.wire.send(|out| extend(out, &["RSET\r\n"])).await; // shows on reading
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

    /// Sends an empty message, because the server accepted DATA although it refused all recipients.
    /// This ends the transaction (RFC 2920, 3.1).
    async fn send_nothing(&mut self, to: &[&str], outcomes: &[Outcome]) -> Fault {
        if self.language == Language::Lmtp {
            // Without recipients there is no reply, so the end of the transaction would not show.
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
        // Half, since doubled dots make it longer: it may not fit into one write.
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
                // After a write error, the server's reason may be in the reply, which is read next.
                return Ok(());
            }
        }
    }

    /// Reads LMTP's replies: one for each recipient accepted so far, in order.
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
