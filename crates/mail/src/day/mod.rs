//! What a user does with an inbox, whatever the protocol.
//!
//! * [`Mailbox`]: the operations on a mailbox.
//! * [`process_inbox`]: looks into the inbox, reads every new message and handles each; [`write`]:
//!   writes a new message.

use headcount_load::Fault;
use headcount_load::stream::Stream;

use crate::profile::{Addressee, MixRow, People, Profile, mix};

#[cfg(test)]
mod post_office;
#[cfg(test)]
mod tests;

/// What the user does with a handled message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Answered to the sender.
    Reply,
    /// Answered to the sender and others.
    ReplyAll,
    /// Forwarded.
    Forward,
    /// Moved to a folder.
    Move,
    /// Copied to a folder.
    Copy,
    /// Deleted.
    Delete,
}

/// Why a message is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The user begins it.
    New,
    /// To answer the sender of one.
    Reply,
    /// To answer the sender and others.
    ReplyAll,
    /// To forward one.
    Forward,
}

/// What a user learns from reading a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letter {
    /// The user who sent it, if it is of this run.
    pub sender: Option<u32>,
    /// Whether something is attached.
    pub is_attached: bool,
}

/// A message to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Why it is written.
    pub reason: Reason,
    /// The recipients, at least one.
    pub to: Vec<Addressee>,
    /// Its contents.
    pub row: MixRow,
}

/// A user's mailbox. Faults that do not end the session leave it usable.
pub trait Mailbox {
    /// Identifies a message in the inbox.
    type Id: Copy;

    /// The random stream for the user's decisions.
    fn stream(&mut self) -> &mut Stream;

    /// The user, and how many users there are.
    fn people(&self) -> People;

    /// The messages that have arrived since the last look, in order of arrival.
    fn look(&mut self) -> impl Future<Output = Result<Vec<Self::Id>, Fault>>;

    /// Reads one.
    fn read(&mut self, id: Self::Id) -> impl Future<Output = Result<Letter, Fault>>;

    /// Loads the attachment of one.
    fn load_attachment(&mut self, id: Self::Id) -> impl Future<Output = Result<(), Fault>>;

    /// Sends a message.
    fn send(&mut self, draft: Draft) -> impl Future<Output = Result<(), Fault>>;

    /// Moves one to the folder with this number.
    fn move_to(&mut self, id: Self::Id, folder: u32) -> impl Future<Output = Result<(), Fault>>;

    /// Copies one to the folder with this number.
    fn copy_to(&mut self, id: Self::Id, folder: u32) -> impl Future<Output = Result<(), Fault>>;

    /// Deletes one.
    fn delete(&mut self, id: Self::Id) -> impl Future<Output = Result<(), Fault>>;

    /// Deletes the oldest messages in the inbox until it holds `cap`.
    fn trim(&mut self, cap: u32) -> impl Future<Output = Result<(), Fault>>;
}

/// Looks into the inbox, reads every new message and handles each as the profile says. Returns the
/// number of new messages.
///
/// A fault that leaves the session usable does not stop it, so that one bad message does not keep
/// the user from the others. The first such fault is returned at the end.
pub async fn process_inbox<M: Mailbox>(mailbox: &mut M, profile: &Profile) -> Result<usize, Fault> {
    let mut first = None;
    let new = keep(mailbox.look().await, &mut first)?.unwrap_or_default();
    for id in &new {
        let decision = Decision::draw(profile, mailbox.stream());
        keep(handle(mailbox, profile, *id, decision).await, &mut first)?;
    }
    if profile.inbox_cap > 0 {
        keep(mailbox.trim(profile.inbox_cap).await, &mut first)?;
    }
    first.map_or(Ok(new.len()), Err)
}

/// Writes a new message, as the profile says.
pub async fn write<M: Mailbox>(mailbox: &mut M, profile: &Profile) -> Result<(), Fault> {
    let count = profile.draw_count(mailbox.stream());
    let draft = draft(mailbox, profile, Reason::New, None, count);
    mailbox.send(draft).await
}

/// What a user is about to do with a message, drawn before it is read.
#[derive(Debug, Clone, Copy)]
struct Decision {
    loads: bool,
    fate: Option<Fate>,
}

impl Decision {
    /// Always takes the same number of draws, so that what users decide about later messages does
    /// not depend on this one.
    fn draw(profile: &Profile, stream: &mut Stream) -> Self {
        const FATES: [Fate; 6] = [
            Fate::Reply,
            Fate::ReplyAll,
            Fate::Forward,
            Fate::Move,
            Fate::Copy,
            Fate::Delete,
        ];
        let loads = stream.unit() < profile.attachments_loaded;
        let is_handled = stream.unit() < profile.handled;
        let mut left = stream.unit();
        let fate = FATES.into_iter().zip(profile.becomes()).find(|(_, share)| {
            left -= share;
            left < 0.0
        });
        Self {
            loads,
            fate: fate.map(|(fate, _)| fate).filter(|_| is_handled),
        }
    }
}

async fn handle<M: Mailbox>(
    mailbox: &mut M,
    profile: &Profile,
    id: M::Id,
    decision: Decision,
) -> Result<(), Fault> {
    let letter = mailbox.read(id).await?;
    if letter.is_attached && decision.loads {
        mailbox.load_attachment(id).await?;
    }
    let Some(fate) = decision.fate else {
        return Ok(());
    };
    match fate {
        Fate::Reply => {
            let draft = draft(mailbox, profile, Reason::Reply, letter.sender, 1);
            mailbox.send(draft).await
        }
        Fate::ReplyAll => {
            let count = profile.draw_count(mailbox.stream());
            let draft = draft(mailbox, profile, Reason::ReplyAll, letter.sender, count);
            mailbox.send(draft).await
        }
        Fate::Forward => {
            let count = profile.draw_count(mailbox.stream());
            let draft = draft(mailbox, profile, Reason::Forward, None, count);
            mailbox.send(draft).await
        }
        Fate::Move => {
            let folder = any_folder(mailbox, profile);
            mailbox.move_to(id, folder).await
        }
        Fate::Copy => {
            let folder = any_folder(mailbox, profile);
            mailbox.copy_to(id, folder).await
        }
        Fate::Delete => mailbox.delete(id).await,
    }
}

fn any_folder<M: Mailbox>(mailbox: &mut M, profile: &Profile) -> u32 {
    let folders = u64::from(profile.start.folders);
    mailbox.stream().below(folders) as u32
}

/// A message to `count` recipients, the answered sender among them. The sender of a message from
/// another run is unknown: somebody else is answered instead.
fn draft<M: Mailbox>(
    mailbox: &mut M,
    profile: &Profile,
    reason: Reason,
    answered: Option<u32>,
    count: u32,
) -> Draft {
    let people = mailbox.people();
    let answered = answered.filter(|id| *id != people.own);
    let mut to: Vec<Addressee> = answered.into_iter().map(Addressee::User).collect();
    let others = count.max(1) - to.len() as u32;
    if others > 0 {
        profile.draw_recipients(people, others, &mut to, mailbox.stream());
    }
    let row = mix::draw(&profile.mix, mailbox.stream());
    Draft { reason, to, row }
}

/// The value, or `None` after a fault that leaves the session usable; `first` keeps the first of
/// them.
fn keep<T>(result: Result<T, Fault>, first: &mut Option<Fault>) -> Result<Option<T>, Fault> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(fault) if fault.ends_session => Err(first.take().unwrap_or(fault)),
        Err(fault) => {
            first.get_or_insert(fault);
            Ok(None)
        }
    }
}
