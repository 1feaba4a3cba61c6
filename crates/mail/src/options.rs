//! The options of a target: the servers, the logins and how mail is sent.

use headcount_load::{Logins, Password};
use serde::{Deserialize, Deserializer};

use crate::endpoint::EndpointOptions;
use crate::message::Marks;
use crate::profile::Profile;
use crate::smtp::Mechanism;

pub use crate::imap::Authentication;
pub use crate::smtp::Language;

/// Distinguishes the run ids of prepared messages from those of real runs.
const PREPARED: u64 = 0x6d61_696c_626f_7865;

/// A mail service as a target of load: where users read and where they send.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailOptions {
    /// Where mail is read: the IMAP server.
    pub imap: EndpointOptions,
    /// Where mail is sent; `None` if the workload sends nothing.
    #[serde(default)]
    pub send: Option<SendOptions>,
    /// The pattern of the users' names, such as `u{n:05}`.
    pub user: String,
    /// The pattern of their addresses, such as `u{n:05}@example.org`.
    pub address: String,
    /// The password of all of them.
    pub password: Password,
    /// The users' own names and passwords, instead of a pattern with one password: `{n}` in `user`
    /// and `address` then stands for the name.
    #[serde(default)]
    pub logins: Logins,
    /// How users log on to the IMAP server.
    #[serde(default)]
    pub authentication: Authentication,
    /// Whether users enable IMAP4rev2 where the server offers it.
    #[serde(default = "yes")]
    pub rev2: bool,
    /// The number of the first user; user `n` of the engine is `first_user + n`. For load from
    /// several machines.
    #[serde(default)]
    pub first_user: u32,
    /// Which run this is: mail of other runs is not taken for its own.
    pub run: u64,
    /// The seed of the mailboxes' contents.
    #[serde(default)]
    pub seed: u64,
    /// The share of messages read, from 0 to 1, whose contents are checked; `true` is all, `false`
    /// none.
    #[serde(default = "all", deserialize_with = "share")]
    pub verify: f64,
    /// What a gateway adds to mail by rule: such a message does not count as altered.
    #[serde(default)]
    pub marks: Marks,
    /// A message counts as lost if it was accepted more than this many seconds ago and is not in
    /// the inbox.
    #[serde(default = "lost_after_s")]
    pub lost_after_s: f64,
    /// The folders with a special use.
    #[serde(default)]
    pub folders: FolderNames,
    /// How a user behaves.
    #[serde(default)]
    pub profile: Profile,
}

/// Where mail is sent, and how.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendOptions {
    /// The server.
    pub server: EndpointOptions,
    /// The protocol: `smtp`, or `lmtp`, which answers for each recipient.
    #[serde(default)]
    pub language: Language,
    /// How users log on there: `plain` or `login`, or the other if the server offers only that.
    #[serde(default)]
    pub mechanism: Mechanism,
    /// Whether users log on there, with the name and password that they have on the IMAP server.
    #[serde(default)]
    pub authenticate: bool,
    /// Whether a user's connection stays open for the next message. Otherwise each message, or each
    /// series of replies, has its own.
    #[serde(default)]
    pub keep_connection: bool,
    /// What the client calls itself (EHLO, LHLO).
    #[serde(default = "own_name")]
    pub client_name: String,
}

/// The names on the server of the folders with a special use.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FolderNames {
    /// Sent messages.
    pub sent: String,
    /// Deleted messages.
    pub trash: String,
    /// Appointments, as messages with text/calendar.
    pub calendar: String,
    /// The message that marks the mailbox as Headcount's.
    pub marker: String,
}

impl MailOptions {
    /// The run that prepared messages are stamped with. It depends only on the seed, so that any
    /// later run recognises them.
    #[must_use]
    pub const fn prepared_run(&self) -> u64 {
        self.seed ^ PREPARED
    }
}

impl Default for FolderNames {
    fn default() -> Self {
        Self {
            sent: "Sent".to_owned(),
            trash: "Trash".to_owned(),
            calendar: "Calendar".to_owned(),
            marker: "Headcount".to_owned(),
        }
    }
}

const fn yes() -> bool {
    true
}

const fn all() -> f64 {
    1.0
}

/// `SPECmail2001` asked for delivery within 60 s.
const fn lost_after_s() -> f64 {
    60.0
}

fn own_name() -> String {
    "headcount.invalid".to_owned()
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Share {
        Whether(bool),
        Part(f64),
    }
    Ok(match Share::deserialize(deserializer)? {
        Share::Whether(whether) => f64::from(u8::from(whether)),
        Share::Part(part) => part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_with_its_defaults() {
        let text = r#"{"imap": {"address": "127.0.0.1:10143"}, "user": "u{n:05}",
            "address": "u{n:05}@test.invalid", "password": "test", "run": 7,
            "send": {"server": {"address": "127.0.0.1:10024"}, "language": "lmtp"},
            "verify": false, "profile": {"replied": 0.1}}"#;
        let options: MailOptions = serde_json::from_str(text).unwrap();
        assert!(options.verify < 0.5);
        assert_eq!(options.folders.trash, "Trash");
        assert_eq!(options.send.unwrap().language, Language::Lmtp);
        assert!((options.profile.replied - 0.1).abs() < 1e-12);
        let misspelt = text.replace("verify", "verfy");
        assert!(serde_json::from_str::<MailOptions>(&misspelt).is_err());
    }
}
