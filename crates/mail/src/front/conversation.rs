//! One client of the front.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::net::TcpStream;

use super::Front;
use super::inbound::{Inbound, Incoming, MESSAGE_BYTES};
use super::route::matches;
use super::upstream::{NAME, Upstream};
use crate::smtp::wire::lost;

/// Most recipients of a message; the RFC asks for 100 (4.5.3.1.8).
const RECIPIENTS: usize = 1000;

/// Sender and recipients of a message.
#[derive(Debug)]
pub struct Envelope {
    pub from: String,
    /// The recipients, each with the index of its destination.
    pub to: Vec<(String, usize)>,
}

pub struct Conversation {
    front: Arc<Front>,
    client: Inbound,
    envelope: Option<Envelope>,
    /// Connections by index of the destination.
    upstreams: BTreeMap<usize, Upstream>,
    is_known: bool,
    is_lmtp: bool,
}

/// Serves a client until it disconnects.
pub async fn converse(front: Arc<Front>, stream: TcpStream) {
    let _ = stream.set_nodelay(true); // without it, the front is only slower
    let mut conversation = Conversation {
        is_known: front.password.is_none(),
        front,
        client: Inbound::new(stream),
        envelope: None,
        upstreams: BTreeMap::new(),
        is_lmtp: false,
    };
    let _ = conversation.run().await; // the connection is broken: nobody to report it to
}

impl Conversation {
    async fn run(&mut self) -> io::Result<()> {
        self.client.say(&format!("220 {NAME} Headcount's front"));
        while let Some(line) = self.client.line().await? {
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match &*verb.to_ascii_uppercase() {
                "EHLO" | "LHLO" => self.hello(verb).await,
                "HELO" => self.client.say(&format!("250 {NAME}")),
                "AUTH" => self.log_on(rest).await?,
                "MAIL" => self.mail(rest).await,
                "RCPT" => self.recipient(rest).await,
                "DATA" => self.data().await?,
                "RSET" => {
                    self.reset().await;
                    self.client.say("250 2.0.0 forgotten");
                }
                "NOOP" => self.client.say("250 2.0.0 well"),
                "VRFY" => self.client.say("252 2.5.0 send, and see"),
                "XCOUNT" => {
                    let counts =
                        serde_json::to_string(&self.front.tally.counts()).unwrap_or_default();
                    self.client.say(&format!("250 {counts}"));
                }
                "QUIT" => {
                    self.client.say("221 2.0.0 goodbye");
                    break;
                }
                _ => self.client.say("500 5.5.2 no such command"),
            }
        }
        self.client.flush().await
    }

    async fn hello(&mut self, verb: &str) {
        self.reset().await;
        self.is_lmtp = verb.eq_ignore_ascii_case("LHLO");
        let auth = if self.front.password.is_some() {
            "250-AUTH PLAIN LOGIN\r\n"
        } else {
            ""
        };
        self.client.say(&format!(
            "250-{NAME}\r\n250-PIPELINING\r\n250-SIZE {MESSAGE_BYTES}\r\n250-8BITMIME\r\n{auth}\
             250 ENHANCEDSTATUSCODES"
        ));
    }

    /// AUTH with any name and the front's password.
    async fn log_on(&mut self, rest: &str) -> io::Result<()> {
        let (mechanism, initial) = rest.split_once(' ').unwrap_or((rest, ""));
        let password = match &*mechanism.to_ascii_uppercase() {
            "PLAIN" => {
                let answer = self.answer(initial, "334 ").await?;
                let mut parts = answer.splitn(3, |byte| *byte == 0).skip(2);
                parts.next().unwrap_or_default().to_vec()
            }
            "LOGIN" => {
                self.answer(initial, "334 VXNlcm5hbWU6").await?;
                self.answer("", "334 UGFzc3dvcmQ6").await?
            }
            _ => {
                self.client.say("504 5.5.4 PLAIN or LOGIN");
                return Ok(());
            }
        };
        let expected = self
            .front
            .password
            .as_ref()
            .map(|password| password.reveal().as_bytes());
        self.is_known = expected.is_none_or(|expected| is_same(expected, &password));
        let reply = if self.is_known {
            "235 2.7.0 welcome"
        } else {
            "535 5.7.8 wrong password"
        };
        self.client.say(reply);
        Ok(())
    }

    /// The client's decoded base64 answer; empty if it is not base64.
    async fn answer(&mut self, initial: &str, question: &str) -> io::Result<Vec<u8>> {
        if !initial.is_empty() {
            return Ok(STANDARD.decode(initial).unwrap_or_default());
        }
        self.client.say(question);
        let line = self.client.line().await?.unwrap_or_default();
        Ok(STANDARD.decode(line).unwrap_or_default())
    }

    async fn mail(&mut self, rest: &str) {
        if !self.is_known {
            return self.client.say("530 5.7.0 log on first");
        }
        if self.envelope.is_some() {
            return self.client.say("503 5.5.1 one message at a time");
        }
        let Some((from, parameters)) = path(rest, "FROM:") else {
            return self.client.say("501 5.5.4 MAIL FROM:<address>");
        };
        let sizes = parameters
            .split(' ')
            .filter_map(|word| word.strip_prefix("SIZE=")?.parse().ok());
        if sizes.max().is_some_and(|size: usize| size > MESSAGE_BYTES) {
            return self.client.say("552 5.3.4 too large");
        }
        self.reset().await;
        let (from, to) = (from.to_owned(), Vec::new());
        self.envelope = Some(Envelope { from, to });
        self.client.say("250 2.1.0 go on");
    }

    async fn recipient(&mut self, rest: &str) {
        let Some(envelope) = &mut self.envelope else {
            return self.client.say("503 5.5.1 MAIL first");
        };
        let Some((to, _)) = path(rest, "TO:").filter(|(to, _)| !to.is_empty()) else {
            return self.client.say("501 5.5.4 RCPT TO:<address>");
        };
        if envelope.to.len() >= RECIPIENTS {
            return self.client.say("452 4.5.3 too many recipients");
        }
        if self.front.reject.iter().any(|pattern| matches(pattern, to)) {
            self.front.tally.note(|counts| counts.refused += 1);
            return self.client.say("550 5.1.1 refused, as it was asked to be");
        }
        let number = self.front.routes.of(to);
        if let Some(endpoint) = &self.front.routes.destinations[number].lmtp {
            let upstream = self.upstreams.entry(number).or_default();
            let is_begun = envelope.to.iter().any(|(_, known)| *known == number);
            let asked = if is_begun && !upstream.is_open() {
                // A new transaction would lack the recipients of the one that broke off.
                Err(lost("the connection was lost after an earlier recipient"))
            } else {
                upstream.recipient(endpoint, &envelope.from, to).await
            };
            let refusal = match asked {
                Ok(reply) if reply.is_positive() => None,
                Ok(reply) => Some(reply.to_string()),
                Err(fault) => Some(format!("451 4.4.1 {}", one_line(&fault.message))),
            };
            if let Some(refusal) = refusal {
                self.front.tally.note(|counts| counts.refused += 1);
                return self.client.say(&refusal);
            }
        }
        envelope.to.push((to.to_owned(), number));
        self.client.say("250 2.1.5 known");
    }

    async fn data(&mut self) -> io::Result<()> {
        let Some(envelope) = self
            .envelope
            .take()
            .filter(|envelope| !envelope.to.is_empty())
        else {
            self.client.say("503 5.5.1 no recipients");
            return Ok(());
        };
        self.client.say("354 until a dot");
        let Incoming::Message(message) = self.client.message().await? else {
            self.reset().await;
            let replies = if self.is_lmtp { envelope.to.len() } else { 1 };
            (0..replies).for_each(|_| self.client.say("552 5.3.4 too large"));
            return Ok(());
        };
        let replies = if self.front.delay.is_zero() {
            self.deliver(&envelope, &message).await
        } else {
            self.reset().await;
            let replies = vec![String::from("250 2.0.0 held"); envelope.to.len()];
            Front::hold(&self.front, envelope, message);
            replies
        };
        let is_refusal = |reply: &&String| !reply.starts_with('2');
        let refused = replies.iter().filter(is_refusal).count();
        if refused < replies.len() {
            self.front.tally.note(|counts| counts.messages += 1);
        }
        if self.is_lmtp {
            for reply in &replies {
                self.client.say(reply);
            }
        } else if let Some(reply) = replies.iter().find(is_refusal).or(replies.first()) {
            self.client.say(reply);
        }
        Ok(())
    }

    /// Delivers a message. Returns the reply for each recipient, in order.
    async fn deliver(&mut self, envelope: &Envelope, message: &[u8]) -> Vec<String> {
        let mut replies = vec![String::from("250 2.0.0 delivered"); envelope.to.len()];
        for (number, destination) in self.front.routes.destinations.iter().enumerate() {
            let here = envelope
                .to
                .iter()
                .enumerate()
                .filter(|(_, (_, to))| *to == number);
            let here: Vec<usize> = here.map(|(index, _)| index).collect();
            let mut taken = here.len();
            if let (Some(upstream), false) = (self.upstreams.get_mut(&number), here.is_empty()) {
                taken = 0;
                match upstream.deliver(message, here.len()).await {
                    Ok(answers) => {
                        for (index, reply) in here.iter().zip(answers) {
                            taken += usize::from(reply.is_positive());
                            replies[*index] = reply.to_string();
                        }
                    }
                    Err(fault) => {
                        let refusal = format!("451 4.4.2 {}", one_line(&fault.message));
                        for index in &here {
                            replies[*index].clone_from(&refusal);
                        }
                    }
                }
            }
            let refused = (here.len() - taken) as u64;
            self.front.tally.note(|counts| counts.refused += refused);
            self.front
                .tally
                .delivered(&destination.name, taken as u64, message.len() as u64);
        }
        replies
    }

    async fn reset(&mut self) {
        self.envelope = None;
        for upstream in self.upstreams.values_mut() {
            upstream.reset().await;
        }
    }
}

/// The address in a command, and the parameters after it.
fn path<'a>(rest: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let head = rest.get(..word.len())?;
    if !head.eq_ignore_ascii_case(word) {
        return None;
    }
    let (address, after) = rest[word.len()..]
        .trim_start()
        .strip_prefix('<')?
        .split_once('>')?;
    let is_odd = |c: char| c.is_control() || c == '<' || c == ' ';
    (!address.contains(is_odd)).then_some((address, after.trim_start()))
}

/// Compares in constant time, so that the time does not reveal how much of the password is right.
fn is_same(expected: &[u8], found: &[u8]) -> bool {
    let pairs = expected.iter().zip(found);
    let difference = pairs.fold(0, |sum, (expected, found)| sum | (expected ^ found));
    expected.len() == found.len() && difference == 0
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect()
}
