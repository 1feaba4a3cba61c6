//! The state of a session, updated by every answer from the server.

use std::io;

use headcount_load::{Fault, FaultKind};

use super::capability::Capabilities;
use super::faults::{lost, malformed, refused, shown};
use super::wire::answer::{self, Answer, Condition, State as Stated};
use super::wire::found;
use super::wire::reader::Event;
use crate::task::Task;

/// What the handler of a command gets.
#[derive(Debug, Clone, Copy)]
pub enum Heard<'a> {
    /// An answer, and its text.
    Answer(&'a Answer<'a>, &'a [u8]),
    /// A piece of a message's contents.
    Piece {
        /// The answer so far.
        text: &'a [u8],
        /// The next bytes.
        bytes: &'a [u8],
        /// The offset of these bytes in the contents.
        at: u64,
        /// The length of the contents.
        of: u64,
    },
}

/// Handles answers to a command. The error, for text that is not IMAP, names what was expected.
pub(super) type On<'a> = dyn FnMut(Heard<'_>) -> Result<(), &'static str> + 'a;

/// How long to receive answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Until the server has greeted.
    Greeted,
    /// Until the command has ended.
    Done,
    /// Until a continuation request.
    Asked,
    /// While writing: neither the end of the command nor a continuation request is expected.
    Written,
    /// Until the number of messages in the folder has changed.
    Changed,
}

/// How waiting ended.
#[derive(Debug)]
pub enum End {
    /// The command has ended, or the server has greeted.
    Done(Result<(), Fault>),
    /// The server sent a continuation request.
    Asked,
    /// Messages came or went.
    Changed,
}

/// What a command waits for, and whether it has happened.
#[derive(Debug)]
pub struct Progress {
    task: Task,
    until: Until,
    /// How waiting ended.
    pub end: Option<End>,
    /// The text of the server's BYE.
    bye: Option<Box<str>>,
}

impl Progress {
    /// The state before any answer.
    #[must_use]
    pub const fn new(task: Task, until: Until) -> Self {
        Self {
            task,
            until,
            end: None,
            bye: None,
        }
    }

    /// The result of waiting; `None` if it has not ended.
    pub fn ended(&mut self) -> Option<Result<(), Fault>> {
        // After LOGOUT, BYE comes before the end of the command.
        if self.bye.is_some() && self.task != Task::Logout {
            return Some(Err(self.closed(true)));
        }
        let name = self.task.name();
        Some(match (self.end.take()?, self.until) {
            (End::Done(ended), Until::Done | Until::Greeted) => ended,
            (End::Done(Err(fault)), _) => Err(fault),
            (End::Asked, Until::Asked) | (End::Changed, Until::Changed) => Ok(()),
            (End::Done(Ok(())), _) => Err(malformed(format!(
                "{name}: the server ended the command before all of it was sent"
            ))),
            (End::Asked, _) => Err(malformed(format!(
                "{name}: the server asks for more than the command has"
            ))),
            (End::Changed, _) => return None,
        })
    }

    /// The fault of a connection that the server closed.
    pub fn closed(&mut self, is_between: bool) -> Fault {
        let name = self.task.name();
        match self.bye.take() {
            Some(text) if self.until == Until::Greeted => {
                lost(format!("the server refused the connection: {text}"))
            }
            Some(text) => lost(format!("{name}: the server ended the session: {text}")),
            None if self.until == Until::Greeted && is_between => {
                lost("the server closed the connection instead of greeting")
            }
            None if is_between => lost(format!("{name}: the server closed the connection")),
            None => lost(format!(
                "{name}: the server closed the connection in the middle of an answer"
            )),
        }
    }

    /// The fault of a connection that failed.
    pub fn broken(&mut self, error: &io::Error) -> Fault {
        let name = self.task.name();
        match error.kind() {
            // TLS that ended without close_notify.
            io::ErrorKind::UnexpectedEof => self.closed(true),
            io::ErrorKind::InvalidData => {
                malformed(format!("{name}: the server's TLS is broken: {error}"))
            }
            _ => lost(format!("{name}: the connection was lost: {error}")),
        }
    }

    fn changed(&mut self) {
        if self.until == Until::Changed && self.end.is_none() {
            self.end = Some(End::Changed);
        }
    }

    fn done(&mut self, state: &Stated<'_>) {
        let name = self.task.name();
        self.end = Some(End::Done(match state.condition {
            Condition::Ok => Ok(()),
            Condition::Bad => Err(refused(format!(
                "{name}: the server does not understand the command: {}",
                condition_text(state)
            ))),
            _ => Err(refused(format!("{name}: {}", condition_text(state)))),
        }));
    }
}

/// The server's text for people, with its response code, which often says more.
fn condition_text(state: &Stated<'_>) -> String {
    match state.code {
        Some(code) => format!("[{}] {}", shown(code), shown(state.text)),
        None => shown(state.text),
    }
}

/// The state of a session.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are so or not, in any combination"
)]
pub struct State {
    /// The server's capabilities.
    pub capabilities: Capabilities,
    /// Whether the server has sent its capabilities since they may last have changed.
    pub knows_capabilities: bool,
    /// Whether IMAP4rev2 is enabled.
    pub is_rev2: bool,
    /// Whether the server greeted with PREAUTH.
    pub is_preauthenticated: bool,
    /// Whether an answer arrived after the end of the last command.
    pub is_ahead: bool,
    /// The number in the last command's tag.
    pub tag: u32,
    /// Messages of the selected folder.
    pub exists: u32,
}

impl State {
    /// Handles an event from the reader. The error is a sentence.
    pub fn hear(
        &mut self,
        event: Event<'_>,
        progress: &mut Progress,
        on: &mut On<'_>,
    ) -> Result<(), String> {
        self.is_ahead = progress.end.is_some();
        match event {
            Event::Piece {
                text,
                bytes,
                at,
                of,
            } => on(Heard::Piece {
                text,
                bytes,
                at,
                of,
            })
            .map_err(|wanted| no_imap(text, wanted)),
            Event::Answer(text) => {
                let answer = answer::read(text).map_err(|wanted| no_imap(text, wanted))?;
                self.note(&answer, progress)
                    .map_err(|wanted| no_imap(text, wanted))?;
                on(Heard::Answer(&answer, text)).map_err(|wanted| no_imap(text, wanted))
            }
        }
    }

    fn note(&mut self, answer: &Answer<'_>, progress: &mut Progress) -> Result<(), &'static str> {
        match answer {
            Answer::Exists(messages) => {
                if *messages != self.exists {
                    progress.changed();
                }
                self.exists = *messages;
            }
            Answer::Expunge(_) => {
                self.exists = self.exists.saturating_sub(1);
                progress.changed();
            }
            Answer::Vanished(false, uids) => {
                let gone = u32::try_from(found::count(*uids)?).unwrap_or(u32::MAX);
                self.exists = self.exists.saturating_sub(gone);
                progress.changed();
            }
            Answer::Capability(names) => self.learn(names),
            Answer::State(state) => self.note_state(state, progress),
            Answer::Done(tag, state) => {
                let number = tag
                    .strip_prefix(b"a")
                    .and_then(super::wire::cursor::parse_number);
                if number != Some(self.tag.into()) || matches!(progress.end, Some(End::Done(_))) {
                    return Err("the tag of the command");
                }
                if let Some(names) = state.code("CAPABILITY") {
                    self.learn(names.rest());
                }
                progress.done(state);
            }
            Answer::Continue(_) => {
                if progress.end.is_some() {
                    return Err("an answer");
                }
                progress.end = Some(End::Asked);
            }
            _ => {}
        }
        Ok(())
    }

    fn note_state(&mut self, state: &Stated<'_>, progress: &mut Progress) {
        if let Some(names) = state.code("CAPABILITY") {
            self.learn(names.rest());
        }
        match state.condition {
            Condition::Bye => progress.bye = Some(condition_text(state).into()),
            Condition::Ok | Condition::Preauth if progress.until == Until::Greeted => {
                self.is_preauthenticated = state.condition == Condition::Preauth;
                progress.end = Some(End::Done(Ok(())));
            }
            _ => {}
        }
    }

    fn learn(&mut self, names: &[u8]) {
        self.capabilities = Capabilities::parse(names);
        self.knows_capabilities = true;
    }
}

fn no_imap(text: &[u8], wanted: &str) -> String {
    let begins = shown(&text[..text.len().min(80)]);
    format!("the server's answer is not IMAP: \"{begins}\", where {wanted} was expected")
}

/// Turns a refusal into a login fault.
#[must_use]
pub fn not_let_in(fault: Fault) -> Fault {
    if fault.kind != FaultKind::Refused {
        return fault;
    }
    Fault::session(FaultKind::Login, fault.message)
}
