//! Plays steps in the workload's own words.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, User};
use headcount_script::Template;
use headcount_script::filter::Filter;
use headcount_script::reply::Reply;
use serde_json::json;

use super::reply::Found;
use super::{Action, Fetch, Own, Search, Send, Which};
use crate::client::sending::of_sending;
use crate::client::session::{INBOX, MailSession};
use crate::imap::{Fetched, Uids, What};
use crate::message::Letter;
use crate::smtp::all_accepted;
use crate::task::Task;

/// The largest message for captures and checks, which are for messages that an application sends.
const MOST_KEPT_BYTES: usize = 16 << 20;
/// Most bytes or characters of a message shown when a workload is tried out.
const MOST_TRACED_BYTES: usize = 2_000;

fn wrong(sentence: impl Into<Box<str>>) -> Fault {
    Fault::step(FaultKind::Refused, sentence)
}

impl MailSession {
    /// Plays a step.
    pub(in crate::client) async fn own(&mut self, own: &Own, user: &mut User) -> Result<(), Fault> {
        match &*own.0 {
            Action::Search(search) => self.search_own(search, user).await,
            Action::Fetch(fetch) => self.fetch_own(fetch, user).await,
            Action::Send(written) => {
                let done = self.send_own(written, user).await;
                self.hang_up().await;
                done
            }
        }
    }

    async fn search_own(&mut self, search: &Search, user: &mut User) -> Result<(), Fault> {
        self.enter(search.folder.as_ref(), user).await?;
        let mut key = String::new();
        // Quoted strings in IMAP escape the same two characters as JSON strings: `"` and `\`.
        let scope = user.scope();
        search.key.write_encoded(scope, Filter::Json, &mut key)?;
        if !key.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            let shown = key.escape_default();
            return Err(wrong(format!(
                "key must be one line of ASCII; it is \"{shown}\""
            )));
        }
        let began_ns = self.stopwatch.now_ns();
        let searched = self.imap().await?.search(&key).await;
        let took_ms = self.stopwatch.now_ns().saturating_sub(began_ns) as f64 / 1e6;
        user.note(|| {
            let outcome = match &searched {
                Ok(uids) => counted(uids.len()),
                Err(_) => "refused".to_owned(),
            };
            json!({
                "method": "IMAP", "path": format!("UID SEARCH {key}"), "sent": "", "status": 0,
                "headers": [], "received_bytes": 0, "received": null, "outcome": outcome,
            })
        });
        let mut uids = searched?;
        uids.sort_unstable();
        self.found = uids.last().copied();
        let found = Found::messages(uids, took_ms);
        search.looks.inspect(&found, user)
    }

    async fn fetch_own(&mut self, fetch: &Fetch, user: &mut User) -> Result<(), Fault> {
        self.enter(fetch.folder.as_ref(), user).await?;
        let Some(uid) = self.chosen(&fetch.which, user).await? else {
            return fetch.looks.inspect(&Found::default(), user);
        };
        let mut message = Vec::new();
        let mut bytes = 0;
        let mut on = |fetched: Fetched<'_>| {
            if let Fetched::Piece(piece) = fetched {
                bytes += piece.bytes.len();
                let room = MOST_KEPT_BYTES.saturating_sub(message.len());
                message.extend_from_slice(&piece.bytes[..piece.bytes.len().min(room)]);
            }
        };
        let what = if fetch.has_body {
            What::Whole
        } else {
            What::Header
        };
        let began_ns = self.stopwatch.now_ns();
        let imap = self.imap().await?;
        imap.fetch(&Uids::one(uid), what, &mut on).await?;
        let took_ms = self.stopwatch.now_ns().saturating_sub(began_ns) as f64 / 1e6;
        self.moved.read_bytes += bytes as u64;
        if bytes > MOST_KEPT_BYTES {
            let mebibytes = MOST_KEPT_BYTES >> 20;
            return Err(wrong(format!(
                "the message has more than {mebibytes} MiB, which is too much for captures and checks"
            )));
        }
        let mut found = Found::message(uid, &message, fetch.has_body);
        found.took_ms = took_ms;
        if message.is_empty() {
            found.uids.clear(); // another client has removed it
        }
        self.current = Some(uid);
        user.note(|| {
            let shown = &found.body()[..found.body().len().min(MOST_TRACED_BYTES)];
            json!({
                "method": "IMAP", "path": format!("UID FETCH {uid}"), "sent": "", "status": 0,
                "headers": found.fields(), "received_bytes": bytes,
                "received": String::from_utf8_lossy(shown), "outcome": counted(found.uids.len()),
            })
        });
        fetch.looks.inspect(&found, user)
    }

    /// The UID of the message to fetch; `None` if the folder is empty.
    async fn chosen(&mut self, which: &Which, user: &mut User) -> Result<Option<u32>, Fault> {
        let exists = self.imap().await?.exists();
        match which {
            Which::Found => {
                let nothing = || wrong("there is no message to fetch: no search has found one");
                self.found.map(Some).ok_or_else(nothing)
            }
            Which::Uid(template) => {
                let text = template.render(user.scope())?;
                let uid = text.trim().parse().ok().filter(|uid| *uid > 0);
                uid.map(Some).ok_or_else(|| {
                    wrong(format!(
                        "uid is \"{}\", which is not a number above 0",
                        text.escape_default()
                    ))
                })
            }
            Which::Last | Which::Random if exists == 0 => Ok(None),
            Which::Last => self.uid_of(exists).await.map(Some),
            Which::Random => {
                let number = 1 + user.stream().below(u64::from(exists)) as u32;
                self.uid_of(number).await.map(Some)
            }
        }
    }

    /// Selects a folder, or sends NOOP if it is selected already, to learn of new mail. Without a
    /// folder, stays in the selected one, by default the inbox.
    async fn enter(&mut self, folder: Option<&Template>, user: &mut User) -> Result<(), Fault> {
        let folder = match folder {
            Some(template) => template.render(user.scope())?,
            None => self.folder.as_deref().unwrap_or(INBOX).to_owned(),
        };
        if folder.is_empty() || folder.contains(['\r', '\n', '\0']) {
            return Err(wrong(format!(
                "folder is \"{}\", which is not a folder name",
                folder.escape_default()
            )));
        }
        if self.imap.is_some() && self.folder.as_deref() == Some(&*folder) {
            return self.imap().await?.noop().await;
        }
        self.select_anew(&folder).await
    }

    async fn send_own(&mut self, written: &Send, user: &mut User) -> Result<(), Fault> {
        let shared = Arc::clone(&self.shared);
        let own = shared.address.text(self.number);
        let mut to = Vec::new();
        for template in &written.to {
            to.push(template.render(user.scope())?);
        }
        if to.is_empty() {
            to.push(own.clone());
        }
        let (subject, body) = (
            written.subject.render(user.scope())?,
            written.body.render(user.scope())?,
        );
        let letter = Letter {
            from: &own,
            to: &to,
            subject: &subject,
            body: &body,
            sent_unix_us: headcount_load::clock::unix_us(),
            id: (
                shared.options.run,
                self.number,
                shared.memory.next_sequence(self.id),
            ),
        };
        let message = letter.bytes();
        self.announce(message.len() as u64, user);
        let names: Vec<&str> = to.iter().map(String::as_str).collect();
        let began_ns = self.stopwatch.now_ns();
        let sent = match self.prepare_to_send().await {
            Ok(()) => self.post(&names, &message).await.map_err(of_sending),
            Err(fault) => Err(fault),
        };
        let sent = sent.and_then(|outcomes| all_accepted(&names, &outcomes));
        Task::Send.note(&self.stopwatch, began_ns, &sent);
        user.note(|| {
            let shown: String = body.chars().take(MOST_TRACED_BYTES).collect();
            let outcome = if sent.is_ok() { "accepted" } else { "refused" };
            json!({
                "method": "MAIL", "path": format!("to {}: {subject}", names.join(", ")),
                "sent": shown, "status": 0, "headers": [], "received_bytes": 0, "received": null,
                "outcome": outcome,
            })
        });
        sent
    }
}

fn counted(messages: usize) -> String {
    match messages {
        1 => "1 message".to_owned(),
        _ => format!("{messages} messages"),
    }
}
