//! How a mail user behaves, as data.
//!
//! * [`Profile`]: how many recipients, which messages, what the user does with a message after
//!   reading it, and what a mailbox holds at the start.
//! * [`gain`]: the volume of mail in a day, since answers are mail, too.
//! * [`people`]: who a message goes to.

pub mod gain;
pub mod mix;
pub mod people;

use serde::{Deserialize, Serialize};

pub use gain::{Day, PerDay};
pub use mix::{Attachment, MixRow};
pub use people::{Addressee, People};

/// Most recipients of a message: more than any workload needs.
const MOST_RECIPIENTS: f64 = 1000.0;
/// Most messages or folders in a mailbox: more than mail servers are made for.
const MOST_MESSAGES: u32 = 1_000_000;

/// How a mail user behaves: the table `[mail]` of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Who a new message goes to.
    pub recipients: Recipients,
    /// The kinds of messages, each row with its weight.
    pub mix: Vec<MixRow>,
    /// The share of the messages read that the user does anything with, from 0 to 1.
    pub handled: f64,
    /// Of those, the share answered to the sender. This and the next five add up to 1 at most: the
    /// user does one of them with a message, or nothing.
    pub replied: f64,
    /// The share answered to the sender and others.
    pub replied_to_all: f64,
    /// The share forwarded.
    pub forwarded: f64,
    /// The share moved to a folder.
    pub moved: f64,
    /// The share copied to a folder.
    pub copied: f64,
    /// The share deleted: moved to the folder of deleted messages.
    pub deleted: f64,
    /// The share of the messages read with an attachment whose attachment is loaded.
    pub attachments_loaded: f64,
    /// Most messages in the inbox; the user deletes the oldest beyond it. 0: no limit.
    pub inbox_cap: u32,
    /// Whether a copy of each message sent goes to the folder of sent messages.
    pub save_sent: bool,
    /// What a mailbox holds at the start.
    pub start: Start,
    /// Other domains that a share of all recipients is in.
    pub destinations: Vec<Destination>,
}

/// Who a new or forwarded message goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipients {
    /// The mean number, members of lists included. Without lists, a whole number is exact, and 2.7
    /// is 2 or 3.
    pub mean: f64,
    /// The share of messages that also go to the members of a distribution list.
    pub list_share: f64,
    /// The fewest and the most members of a list.
    pub list_members: [u32; 2],
    /// The mean number of its members.
    pub list_mean: u32,
    /// Users who receive more than others.
    pub popular: Option<Popular>,
}

/// Users who receive more than others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Popular {
    /// One in this many users is popular: those whose number is divisible by it.
    pub one_in: u32,
    /// The share of all recipients that are popular users.
    pub mail: f64,
}

/// What a mailbox holds at the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Folders of the user's own.
    pub folders: u32,
    /// Messages in each of them.
    pub messages: u32,
    /// Messages in the inbox.
    pub inbox: u32,
    /// Messages in the folder of deleted messages.
    pub deleted: u32,
    /// Entries in the calendar.
    pub calendar: u32,
    /// The size of the text of each of these messages; 0: drawn from the mix.
    pub bytes: u32,
}

/// A domain other than that of the server under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// What follows the `@`.
    pub domain: String,
    /// The share of all recipients of new and forwarded messages.
    pub share: f64,
}

impl Default for Profile {
    /// One recipient, one small message, nothing done with messages after reading.
    fn default() -> Self {
        Self {
            recipients: Recipients::default(),
            mix: vec![MixRow::text(1024)],
            handled: 1.0,
            replied: 0.0,
            replied_to_all: 0.0,
            forwarded: 0.0,
            moved: 0.0,
            copied: 0.0,
            deleted: 0.0,
            attachments_loaded: 0.0,
            inbox_cap: 0,
            save_sent: true,
            start: Start::default(),
            destinations: Vec::new(),
        }
    }
}

impl Default for Recipients {
    fn default() -> Self {
        Self {
            mean: 1.0,
            list_share: 0.0,
            list_members: [2, 20],
            list_mean: 10,
            popular: None,
        }
    }
}

impl Profile {
    /// Checks that the profile can be played. The error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        self.recipients.check()?;
        mix::check(&self.mix)?;
        for (name, share) in self.shares() {
            is_share(name, share)?;
        }
        let becomes: f64 = self.becomes().iter().sum();
        if becomes > 1.0 + 1e-9 {
            return Err(format!(
                "replied, replied_to_all, forwarded, moved, copied and deleted are {becomes:.3} \
                 together; each message gets only one of them, so they must add up to at most 1"
            ));
        }
        self.start.check()?;
        if (self.moved > 0.0 || self.copied > 0.0) && self.start.folders == 0 {
            return Err(
                "messages are moved or copied, so start.folders must be at least 1".to_owned(),
            );
        }
        self.check_destinations()?;
        self.day(&PerDay { new: 1.0 }).map(|_| ())
    }

    /// The shares of what the user does with a handled message, in the order of
    /// [`crate::day::Fate`].
    #[must_use]
    pub const fn becomes(&self) -> [f64; 6] {
        [
            self.replied,
            self.replied_to_all,
            self.forwarded,
            self.moved,
            self.copied,
            self.deleted,
        ]
    }

    /// The share of recipients of new messages that are users of the server under test.
    #[must_use]
    pub fn here(&self) -> f64 {
        let elsewhere: f64 = self.destinations.iter().map(|there| there.share).sum();
        1.0 - elsewhere
    }

    const fn shares(&self) -> [(&'static str, f64); 8] {
        [
            ("handled", self.handled),
            ("replied", self.replied),
            ("replied_to_all", self.replied_to_all),
            ("forwarded", self.forwarded),
            ("moved", self.moved),
            ("copied", self.copied),
            ("deleted", self.deleted),
            ("attachments_loaded", self.attachments_loaded),
        ]
    }

    fn check_destinations(&self) -> Result<(), String> {
        for there in &self.destinations {
            is_share(&format!("the share of {}", there.domain), there.share)?;
            let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            if there.domain.is_empty() || !there.domain.bytes().all(is_domain) {
                return Err(format!(
                    "a destination must be a domain, as in dest1.invalid; it is \"{}\"",
                    there.domain.escape_default()
                ));
            }
        }
        if self.here() < -1e-9 {
            return Err("the shares of the destinations must add up to at most 1".to_owned());
        }
        Ok(())
    }
}

impl Recipients {
    fn check(&self) -> Result<(), String> {
        let [fewest, most] = self.list_members;
        is_share("recipients.list_share", self.list_share)?;
        if !(1 <= fewest && fewest <= self.list_mean && self.list_mean <= most)
            || f64::from(most) > MOST_RECIPIENTS
        {
            return Err(format!(
                "recipients.list_members must be from 1 to {MOST_RECIPIENTS}, with \
                 recipients.list_mean between them; they are [{fewest}, {most}] and {}",
                self.list_mean
            ));
        }
        if !(1.0..=MOST_RECIPIENTS).contains(&self.named()) {
            return Err(format!(
                "recipients.mean must leave 1 to {MOST_RECIPIENTS} recipients beside the members of \
                 lists, which are {:.2} on average; it is {}",
                self.listed(),
                self.mean
            ));
        }
        if let Some(popular) = self.popular {
            is_share("recipients.popular.mail", popular.mail)?;
            if popular.one_in < 2 {
                return Err("recipients.popular.one_in must be at least 2".to_owned());
            }
        }
        Ok(())
    }

    /// The mean number of recipients from lists.
    fn listed(&self) -> f64 {
        self.list_share * f64::from(self.list_mean)
    }

    /// The mean number of other recipients.
    fn named(&self) -> f64 {
        self.mean - self.listed()
    }
}

impl Start {
    fn check(&self) -> Result<(), String> {
        let bounded = [
            ("start.folders", self.folders),
            ("start.messages", self.messages),
            ("start.inbox", self.inbox),
            ("start.deleted", self.deleted),
            ("start.calendar", self.calendar),
        ];
        for (name, count) in bounded {
            if count > MOST_MESSAGES {
                return Err(format!(
                    "{name} must be from 0 to {MOST_MESSAGES}; it is {count}"
                ));
            }
        }
        if self.bytes > mix::MOST_BYTES {
            return Err(format!(
                "start.bytes must be from 0 to {}; it is {}",
                mix::MOST_BYTES,
                self.bytes
            ));
        }
        Ok(())
    }
}

fn is_share(name: &str, share: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(format!("{name} must be from 0 to 1; it is {share}"))
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
