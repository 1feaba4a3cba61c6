//! What is known of a session, and kept up to date by whatever the server says.

use std::io;

use headcount_load::{Fault, FaultKind};

use super::capability::Capabilities;
use super::faults::{lost, malformed, refused, shown};
use super::wire::answer::{self, Answer, Condition, State as Stated};
use super::wire::found;
use super::wire::reader::Event;
use crate::task::Task;

/// What a command is told of.
#[derive(Debug, Clone, Copy)]
pub enum Heard<'a> {
    /// An answer, and its text.
    Answer(&'a Answer<'a>, &'a [u8]),
    /// Contents of a message that pass by.
    Piece {
        /// The answer so far.
        text: &'a [u8],
        /// The next bytes.
        bytes: &'a [u8],
        /// How many came before.
        at: u64,
        /// How many there will be.
        of: u64,
    },
}

/// Takes what a server answers to a command. The error, for text that is no IMAP, is what was
/// expected instead.
pub(super) type On<'a> = dyn FnMut(Heard<'_>) -> Result<(), &'static str> + 'a;

/// How long answers are heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Until the server has greeted.
    Greeted,
    /// Until the command has ended.
    Done,
    /// Until the server asks for the rest of the command.
    Asked,
    /// Until what is being written has been: nothing else is expected.
    Written,
    /// Until the number of messages in the folder has changed.
    Changed,
}

/// How waiting ended.
#[derive(Debug)]
pub enum End {
    /// The command has, or the server has greeted.
    Done(Result<(), Fault>),
    /// The server asks for more.
    Asked,
    /// Messages came or went.
    Changed,
}

/// What is waited for, and whether it has come.
#[derive(Debug)]
pub struct Progress {
    task: Task,
    until: Until,
    /// How waiting ended.
    pub end: Option<End>,
    /// What the server said as it took leave.
    bye: Option<Box<str>>,
}

impl Progress {
    /// Nothing has come.
    #[must_use]
    pub const fn new(task: Task, until: Until) -> Self {
        Self {
            task,
            until,
            end: None,
            bye: None,
        }
    }

    /// What became of waiting, once it has ended.
    pub fn ended(&mut self) -> Option<Result<(), Fault>> {
        // Whoever logs out is told goodbye first.
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
            // TLS without its farewell.
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

/// What the server says to people, with the code in brackets, which often says it better.
fn condition_text(state: &Stated<'_>) -> String {
    match state.code {
        Some(code) => format!("[{}] {}", shown(code), shown(state.text)),
        None => shown(state.text),
    }
}

/// What is known of a session.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are so or not, in any combination"
)]
pub struct State {
    /// What the server can do.
    pub capabilities: Capabilities,
    /// Whether it has said so, since it mattered last.
    pub knows_capabilities: bool,
    /// Whether IMAP4rev2 was enabled.
    pub is_rev2: bool,
    /// Whether the server took the user as logged on already.
    pub is_preauthenticated: bool,
    /// Whether more was heard after the end of the last command.
    pub is_ahead: bool,
    /// The number in the last command's tag.
    pub tag: u32,
    /// Messages of the selected folder.
    pub exists: u32,
}

impl State {
    /// Takes what was heard. The error is a sentence.
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

/// The same fault of somebody who was not let in.
#[must_use]
pub fn not_let_in(fault: Fault) -> Fault {
    if fault.kind != FaultKind::Refused {
        return fault;
    }
    Fault::session(FaultKind::Login, fault.message)
}
