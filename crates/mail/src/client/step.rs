//! What users do: the steps of a workload, compiled.

use headcount_load::Compile;
use headcount_load::pace::Draw;
use headcount_script::Names;
use serde::Deserialize;
use serde_json::Value;

use super::own::Own;
use crate::profile::mix::MOST_BYTES;

/// Most messages that one step fetches, and most recipients it sends to.
const MOST: u32 = 1000;
/// Longest wait of one step: longer than any server lets a session idle (RFC 9051, 5.4).
const MOST_S: f64 = 1800.0;

/// One step.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    tag = "op",
    rename_all = "kebab-case",
    rename_all_fields = "snake_case",
    deny_unknown_fields
)]
pub enum Step {
    /// What a mail program does on its start: NAMESPACE, LIST, SELECT of the inbox, FETCH of all
    /// flags.
    LoginSequence {},
    /// SELECT.
    Select {
        /// Of which folder.
        #[serde(default = "inbox")]
        folder: String,
    },
    /// LIST.
    List {
        /// Of which folders.
        #[serde(default = "everything")]
        pattern: String,
    },
    /// FETCH.
    Fetch {
        /// What of each message.
        what: Section,
        /// Of how many messages.
        #[serde(default = "one")]
        messages: u32,
        /// Of which messages.
        #[serde(default)]
        which: Which,
    },
    /// SEARCH.
    Search {
        /// The search key (RFC 9051, 6.4.4).
        key: String,
    },
    /// APPEND of a message.
    Append {
        /// To which folder.
        #[serde(default = "inbox")]
        folder: String,
        /// Bytes of its text; drawn from the mix if left out.
        #[serde(default)]
        bytes: Option<u32>,
    },
    /// Moves the current message, or a random one, to one of the user's folders.
    Move {},
    /// Copies it there.
    Copy {},
    /// Sets a flag of it.
    Flag {
        /// The flag.
        #[serde(default = "flagged")]
        flag: String,
    },
    /// Moves it to the deleted messages.
    Delete {},
    /// Removes the messages flagged as deleted in the folder.
    Expunge {},
    /// IDLE: the user waits for new mail. The wait counts towards no response time.
    Idle {
        /// For how long.
        lasting: Draw,
        /// Whether new mail ends it.
        #[serde(default)]
        until_mail: bool,
    },
    /// NOOP.
    Noop {},
    /// STATUS.
    Status {
        /// Of which folder.
        #[serde(default = "inbox")]
        folder: String,
    },
    /// GETQUOTAROOT.
    Quota {},
    /// CHECK.
    Check {},
    /// UNSELECT.
    Unselect {},
    /// LOGOUT; the next step logs on again.
    Logout {},
    /// Sends a new message.
    Send {
        /// To how many; as the profile says if left out.
        #[serde(default)]
        recipients: Option<u32>,
        /// Bytes of its text; drawn from the mix if left out.
        #[serde(default)]
        bytes: Option<u32>,
        /// Bytes of an attachment; only with `bytes`.
        #[serde(default)]
        attached_bytes: u32,
        /// Whether it is an invitation to a meeting (text/calendar).
        #[serde(default)]
        invitation: bool,
    },
    /// Looks into the inbox, reads every new message, and does with each what the profile says.
    ProcessInbox {},
    /// Reads a random message in a random folder of the user's own.
    ReadOld {},
    /// Empties the folder of deleted messages.
    EmptyDeleted {},
    /// Puts an appointment into the calendar and takes an old one out.
    ScheduleChange {},
    /// The user sends themselves a message, waits until it arrives, and removes it.
    Delivery {
        /// The time limit.
        #[serde(default = "a_minute")]
        within_s: f64,
        /// The polling interval; by default, the user idles instead.
        #[serde(default)]
        poll_s: Option<f64>,
    },
    /// Opens the inbox: SELECT and the newest entries.
    OpenInbox {},
    /// Fetches a page of entries: of the newest messages at first, then of older ones.
    Page {
        /// How many.
        #[serde(default = "twenty")]
        entries: u32,
    },
    /// Reads the next message below the one read last, the newest at first.
    ReadNext {},
    /// Flags the current message.
    Categorise {},
    /// Moves the current message to the deleted messages.
    DeleteOne {},
    /// APPEND of a message to the inbox.
    AddMessage {
        /// Bytes of its text.
        bytes: u32,
    },
    /// Closes the inbox.
    CloseInbox {},
    /// A search, a fetch or a message in the workload's own words.
    #[serde(skip)]
    Own(Own),
}

/// A part of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// Its flags.
    Flags,
    /// Its envelope, as message lists show it.
    Envelope,
    /// Its header.
    Headers,
    /// What follows the header.
    Body,
    /// All of it.
    Whole,
}

/// Which messages of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The last ones.
    #[default]
    Last,
    /// Random consecutive ones.
    Random,
}

fn inbox() -> String {
    "INBOX".to_owned()
}

fn everything() -> String {
    "*".to_owned()
}

fn flagged() -> String {
    "\\Flagged".to_owned()
}

const fn one() -> u32 {
    1
}

const fn twenty() -> u32 {
    20
}

/// `SPECmail2001` asked for delivery within 60 s.
const fn a_minute() -> f64 {
    60.0
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        Self::compile_with(options, &mut Names::default())
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        if let Some(own) = Own::compile(options, names)? {
            return Ok(Self::Own(own));
        }
        let step = Self::deserialize(options).map_err(|error| error.to_string())?;
        step.check()?;
        Ok(step)
    }
}

impl Step {
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Select { folder } | Self::Status { folder } => is_line("folder", folder),
            Self::List { pattern } => is_line("pattern", pattern),
            Self::Search { key } => is_line("key", key),
            Self::Flag { flag } => is_flag(flag),
            Self::Append { folder, bytes } => {
                is_line("folder", folder)?;
                is_size("bytes", bytes.unwrap_or(0))
            }
            Self::AddMessage { bytes } => is_size("bytes", *bytes),
            Self::Fetch { messages, .. } => is_count("messages", *messages),
            Self::Page { entries } => is_count("entries", *entries),
            Self::Idle { lasting, .. } => {
                let longest_s = match *lasting {
                    Draw::Fixed { s } => s,
                    Draw::Uniform { high_s, .. } => high_s,
                    Draw::Exponential { mean_s } => mean_s,
                };
                if lasting.is_valid() && longest_s <= MOST_S {
                    return Ok(());
                }
                Err(format!(
                    "lasting must be from 0 to {MOST_S} s, low before high"
                ))
            }
            Self::Send {
                recipients,
                bytes,
                attached_bytes,
                invitation,
            } => {
                is_count("recipients", recipients.unwrap_or(1))?;
                is_size("bytes", bytes.unwrap_or(0))?;
                is_size("attached_bytes", *attached_bytes)?;
                if bytes.is_none() && *attached_bytes > 0 {
                    return Err("attached_bytes goes with bytes; the mix has its own".into());
                }
                if *invitation && (bytes.is_some() || *attached_bytes > 0) {
                    return Err(
                        "an invitation has a size of its own: leave out bytes and attached_bytes"
                            .into(),
                    );
                }
                Ok(())
            }
            Self::Delivery { within_s, poll_s } => {
                is_wait("within_s", *within_s)?;
                is_wait("poll_s", poll_s.unwrap_or(1.0))
            }
            _ => Ok(()),
        }
    }
}

/// Checks that a text cannot end the command it becomes part of.
fn is_line(option: &str, text: &str) -> Result<(), String> {
    let is_fit = |byte: u8| (0x20..0x7f).contains(&byte);
    if !text.is_empty() && text.len() <= 1000 && text.bytes().all(is_fit) {
        return Ok(());
    }
    Err(format!(
        "{option} must be one line of ASCII, as the protocol requires; it is \"{}\"",
        text.escape_default()
    ))
}

fn is_flag(flag: &str) -> Result<(), String> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"$-_".contains(&byte);
    let name = flag.strip_prefix('\\').unwrap_or(flag);
    if !name.is_empty() && name.bytes().all(is_fit) {
        return Ok(());
    }
    Err(format!(
        "flag must be one, as in \\Flagged or $Work; it is \"{}\"",
        flag.escape_default()
    ))
}

fn is_size(option: &str, bytes: u32) -> Result<(), String> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(format!(
        "{option} must be from 0 to {MOST_BYTES}; it is {bytes}"
    ))
}

fn is_count(option: &str, count: u32) -> Result<(), String> {
    if (1..=MOST).contains(&count) {
        return Ok(());
    }
    Err(format!("{option} must be from 1 to {MOST}; it is {count}"))
}

fn is_wait(option: &str, seconds: f64) -> Result<(), String> {
    if (0.01..=MOST_S).contains(&seconds) {
        return Ok(());
    }
    Err(format!(
        "{option} must be from 0.01 to {MOST_S} s; it is {seconds}"
    ))
}

#[cfg(test)]
mod tests;
