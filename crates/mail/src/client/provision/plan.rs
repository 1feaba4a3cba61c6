//! What a mailbox holds at the start, and the text of its marker.

use headcount_load::stream::{Purpose, Stream};

use crate::client::session::{INBOX, MailSession};
use crate::message::{Message, Part, Stamp};
use crate::options::MailOptions;
use crate::profile::{MixRow, mix};

/// The keyword of prepared messages: a search for it does not find messages that came later.
const KEYWORD: &str = "$Headcount";
/// The keyword in the inbox: users move its messages to other folders, where they must not pass for
/// prepared ones.
const INBOX_KEYWORD: &str = "$HeadcountInbox";
/// When the first prepared message was sent, in µs since 1970: 1 January 2026, the same in all
/// runs.
const SENT_UNIX_US: u64 = 1_767_225_600_000_000;
/// The time from one prepared message to the next, in µs.
const APART_US: u64 = 60_000_000;
/// The version of the prepared mailbox. Raise it when the contents change.
const VERSION: u32 = 2;

/// A folder, and what it holds at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// Its name.
    pub folder: String,
    /// How many messages.
    pub messages: u32,
    /// The number of the first one, counted through the mailbox.
    pub from: u32,
}

impl Holding {
    /// The keyword of its prepared messages.
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        if self.folder == INBOX {
            INBOX_KEYWORD
        } else {
            KEYWORD
        }
    }
}

impl MailOptions {
    /// What a mailbox holds at the start, folder by folder.
    pub fn holdings(&self) -> impl Iterator<Item = Holding> + '_ {
        let start = &self.profile.start;
        let own =
            (0..start.folders).map(|folder| (MailSession::own_folder(folder), start.messages));
        let others = [
            (INBOX.to_owned(), start.inbox),
            (self.folders.trash.clone(), start.deleted),
            (self.folders.sent.clone(), 0),
            (self.folders.calendar.clone(), start.calendar),
        ];
        let mut from = 0;
        own.chain(others).map(move |(folder, messages)| {
            let holding = Holding {
                folder,
                messages,
                from,
            };
            from += messages;
            holding
        })
    }

    /// A user's prepared message with this number. It depends only on the seed, the user and the
    /// profile.
    #[must_use]
    pub fn prepared_message(&self, user: u32, number: u32, own_address: &str) -> Message {
        let start = &self.profile.start;
        let mut stream = Stream::new(self.seed, Purpose::Scenario, user, number.into());
        let row = match start.bytes {
            0 => mix::draw(&self.profile.mix, &mut stream),
            bytes => MixRow::text(bytes),
        };
        let stamp = Stamp {
            run: self.prepared_run(),
            sender: user,
            sequence: number,
            sent_unix_us: SENT_UNIX_US + u64::from(number) * APART_US,
        };
        Message::new(
            stamp,
            own_address,
            &[own_address],
            "Headcount",
            &row.parts(),
        )
    }

    /// The text of a complete mailbox's marker; different data sets have different texts.
    #[must_use]
    pub fn inscription(&self) -> String {
        let start = &self.profile.start;
        let mix: Vec<String> = match start.bytes {
            0 => self.profile.mix.iter().map(inscribe).collect(),
            bytes => vec![bytes.to_string()],
        };
        format!(
            "Headcount mailbox {VERSION}: seed {}, {} x {}, {} in, {} out, {} dates, of {}",
            self.seed,
            start.folders,
            start.messages,
            start.inbox,
            start.deleted,
            start.calendar,
            mix.join(" ")
        )
    }

    /// The message that marks a mailbox as Headcount's.
    #[must_use]
    pub fn marker(&self, user: u32, subject: &str, own_address: &str) -> Message {
        let stamp = Stamp {
            run: self.prepared_run(),
            sender: user,
            sequence: u32::MAX,
            sent_unix_us: SENT_UNIX_US,
        };
        Message::new(
            stamp,
            own_address,
            &[own_address],
            subject,
            &[Part::text(2)],
        )
    }
}

fn inscribe(row: &MixRow) -> String {
    let MixRow {
        weight,
        text_bytes,
        attached_bytes,
        attached,
    } = row;
    format!("{weight}:{text_bytes}+{attached_bytes}{attached:?}")
}

/// The text of the marker while a mailbox is being made or emptied.
pub const UNFINISHED: &str = "Headcount mailbox, unfinished: everything in it is Headcount's";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Body;

    fn options(start: &str) -> MailOptions {
        let text = format!(
            r#"{{"imap": {{"address": "127.0.0.1:1"}}, "user": "u{{n:05}}", "password": "x",
                "address": "u{{n:05}}@test.invalid", "run": 1, "seed": 9,
                "profile": {{"start": {start}, "mix": [{{"weight": 1, "text_bytes": 1000}},
                {{"weight": 1, "text_bytes": 3000, "attached_bytes": 9000}}]}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn messages_are_numbered_across_folders() {
        let options = options(r#"{"folders": 2, "messages": 5, "inbox": 3, "deleted": 1}"#);
        let holdings: Vec<_> = options.holdings().collect();
        let shown: Vec<_> = holdings
            .iter()
            .map(|holding| (&*holding.folder, holding.from, holding.messages))
            .collect();
        let wanted = [
            ("f00", 0, 5),
            ("f01", 5, 5),
            ("INBOX", 10, 3),
            ("Trash", 13, 1),
            ("Sent", 14, 0),
            ("Calendar", 14, 0),
        ];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn prepared_messages_repeat_and_are_drawn_from_the_mix() {
        let options = options(r#"{"inbox": 400}"#);
        let sizes: Vec<u64> = (0..400)
            .map(|number| options.prepared_message(3, number, "a@b.invalid").len())
            .collect();
        let again = options.prepared_message(3, 399, "a@b.invalid").len();
        assert_eq!(sizes[399], again);
        let large = sizes.iter().filter(|bytes| **bytes > 6000).count();
        assert!((160..=240).contains(&large), "half of them: {large}");
    }

    #[test]
    fn different_data_sets_have_different_inscriptions() {
        let one = options(r#"{"folders": 2, "messages": 5}"#).inscription();
        assert_eq!(
            one,
            options(r#"{"folders": 2, "messages": 5}"#).inscription()
        );
        for other in [
            r#"{"folders": 5, "messages": 2}"#,
            r#"{"folders": 2, "messages": 5, "inbox": 1}"#,
            r#"{"folders": 2, "messages": 5, "deleted": 1}"#,
            r#"{"folders": 2, "messages": 5, "calendar": 1}"#,
            r#"{"folders": 2, "messages": 5, "bytes": 2000}"#,
        ] {
            assert_ne!(one, options(other).inscription());
        }
        let mut seed = options(r#"{"folders": 2, "messages": 5}"#);
        seed.seed = 10;
        assert_ne!(one, seed.inscription());
    }
}
