//! The operations of a program, played on a share: what has a name only is asked in one frame.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

mod stage;

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_tree::parts::Share;
use headcount_tree::program::Path;
use headcount_tree::program::answer::Answer;
use headcount_tree::program::player::{Actor, Player};
use headcount_tree::program::stage::Refusal;
use headcount_tree::query::Query;

use super::metadata::ANSWER_BYTES;
use super::session::{SmbSession, other_form};
use crate::connection::Ask;
use crate::wire::create::{
    DELETE_ON_CLOSE, DIRECTORY, Disposition, NOT_DIRECTORY, Opened, Oplock, Request, SHARE_ALL,
    access, encode_close,
};
use crate::wire::header::{Command, Response};
use crate::wire::info::{Change, QueryInfo};
use crate::wire::lock::Lock;
use crate::wire::status::Status;
use crate::wire::{FileId, NO_FILE, directory, lock};

/// Bytes of entries asked for by a search.
const LISTING_BYTES: u32 = 64 << 10;
/// Folders deeper than this are not deleted: no server lets a path become so long.
const MOST_DEPTH: u32 = 256;

/// What is asked between opening and closing a name.
#[derive(Debug, Clone, Copy)]
enum Middle<'a> {
    Query(Query),
    List(&'a str),
    Change(Change<'a>),
}

impl SmbSession {
    /// Plays the user's turn of the target's program.
    pub(super) async fn play_turn(&mut self, user: &User) -> Result<Moved, Fault> {
        let Some(program) = self.shared.program.as_ref().map(Arc::clone) else {
            let sentence = "\"turn\" plays a program, and this target has none";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let player = self.player.take();
        let mut player = player.unwrap_or_else(|| Box::new(Player::new(&program)));
        let actor = Actor {
            number: self.number,
            seed: self.shared.data_set.seed,
            verify: self.shared.verify,
        };
        let moved = player.play(self, &program, actor, user).await;
        self.player = Some(player);
        moved
    }

    /// A path below the share.
    fn below_share(&self, path: &Path) -> String {
        let home = self.shared.folder.text(self.number);
        let folder = if path.is_common {
            home.rsplit_once('\\').map_or("", |(above, _)| above)
        } else {
            &home
        };
        match (folder, &*path.below) {
            ("", below) => below.to_owned(),
            (folder, "") => folder.to_owned(),
            (folder, below) => format!("{folder}\\{below}"),
        }
    }

    /// CREATE, something or nothing, and CLOSE in one frame; the first refusal counts.
    async fn on_name(
        &mut self,
        request: &Request<'_>,
        middle: Option<Middle<'_>>,
    ) -> Result<(), Refusal> {
        let tree = self.tree(Share::Data).await?;
        let create = Ask::new(Command::Create, tree);
        let close = Ask::new(Command::Close, tree);
        let (pair, triple);
        let asks: &[Ask] = match middle {
            None => {
                pair = [create, close];
                &pair
            }
            Some(middle) => {
                triple = [create, middle.ask(tree), close];
                &triple
            }
        };
        let mut first: Option<Refusal> = None;
        self.connection
            .exchange_related(
                asks,
                |index, out| match (asks[index].command, middle) {
                    (Command::Create, _) => request.encode(out),
                    (Command::Close, _) => encode_close(out, &NO_FILE),
                    (_, Some(middle)) => middle.encode(out),
                    (_, None) => {}
                },
                |index, head, body| {
                    let command = asks[index].command;
                    let judged =
                        refused(head, || format!("{} \"{}\"", command.name(), request.path))
                            .and_then(|()| match (command, middle) {
                                (Command::Create, _) => {
                                    in_form(command, Opened::parse(body).is_some())
                                }
                                (Command::Close, _) | (_, None) => Ok(()),
                                (_, Some(middle)) => in_form(command, middle.has_form(body)),
                            });
                    if first.is_none() {
                        first = judged.err();
                    }
                },
            )
            .await?;
        first.map_or(Ok(()), Err)
    }

    /// A request about an open file that is answered with no more than a status.
    async fn about(
        &mut self,
        command: Command,
        encode: impl FnOnce(&mut Vec<u8>),
        has_form: impl FnOnce(&[u8]) -> bool,
    ) -> Result<(), Refusal> {
        let ask = Ask::new(command, self.tree(Share::Data).await?);
        let answered = self.connection.exchange(ask, encode, |head, body| {
            Ok(refused(head, || command.name().to_owned())
                .and_then(|()| in_form(command, has_form(body))))
        });
        answered.await?
    }

    /// Deletes what is in a folder, and then the folder.
    async fn delete_below(&mut self, folder: String, depth: u32) -> Result<(), Refusal> {
        let mut request = plain(&folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        let Some(opened) = self.find(&request).await? else {
            return Err(Refusal {
                answer: Answer::Missing,
                fault: Status::OBJECT_NAME_NOT_FOUND.fault(&format!("CREATE \"{folder}\"")),
            });
        };
        let entries = self.entries(&opened.file, &folder).await?;
        self.close_file(&opened.file).await?;
        if depth == MOST_DEPTH {
            let sentence = format!("\"{folder}\" is too deep to be deleted");
            return Err(Fault::step(FaultKind::Refused, sentence).into());
        }
        for entry in entries.into_iter().filter(|entry| !entry.is_dots()) {
            let path = format!("{folder}\\{}", entry.name);
            if entry.is_folder {
                Box::pin(self.delete_below(path, depth + 1)).await?;
            } else {
                self.remove_file(&path).await?;
            }
        }
        self.remove_folder(&folder).await
    }

    async fn remove_file(&mut self, path: &str) -> Result<(), Refusal> {
        let mut request = plain(path, access::DELETE, Disposition::Open);
        request.options = DELETE_ON_CLOSE | NOT_DIRECTORY;
        self.on_name(&request, None).await
    }

    /// Servers tell that a folder is not empty when they are asked to delete it, and some of them
    /// not if they are to do so when it is closed.
    async fn remove_folder(&mut self, path: &str) -> Result<(), Refusal> {
        let mut request = plain(path, access::DELETE, Disposition::Open);
        request.options = DIRECTORY;
        let middle = Middle::Change(Change::Delete);
        self.on_name(&request, Some(middle)).await
    }

    async fn lock_bytes(
        &mut self,
        file: &FileId,
        kind: Lock,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| lock::encode(out, file, kind, offset, bytes);
        self.about(Command::Lock, encode, |_| true).await
    }
}

impl Middle<'_> {
    const fn ask(&self, tree: u32) -> Ask {
        let (command, bytes) = match self {
            Self::Query(_) => (Command::QueryInfo, ANSWER_BYTES),
            Self::List(_) => (Command::QueryDirectory, LISTING_BYTES),
            Self::Change(_) => (Command::SetInfo, 0),
        };
        Ask {
            bytes,
            ..Ask::new(command, tree)
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Query(query) => query.encode(out, &NO_FILE, ANSWER_BYTES),
            Self::List(mask) => directory::encode(out, &NO_FILE, mask, true, LISTING_BYTES),
            Self::Change(change) => change.encode(out, &NO_FILE),
        }
    }

    fn has_form(&self, body: &[u8]) -> bool {
        match self {
            Self::Query(query) => query.parse(body).is_some(),
            Self::List(_) => directory::parse(body).and_then(directory::count).is_some(),
            Self::Change(_) => true,
        }
    }
}

/// A request without oplock that shares with everybody.
const fn plain(path: &str, access: u32, disposition: Disposition) -> Request<'_> {
    Request {
        path,
        access,
        share: SHARE_ALL,
        disposition,
        options: 0,
        oplock: Oplock::None,
    }
}

/// What a failed response means to a program.
fn refused(head: &Response, what: impl FnOnce() -> String) -> Result<(), Refusal> {
    let answer = Answer::of_nt_status(head.status.0);
    // "No more files" is a warning in its code, and the end of a listing: here, of one of nothing.
    if !head.status.is_error() && answer != Answer::Missing {
        return Ok(());
    }
    Err(Refusal {
        answer,
        fault: head.status.fault(&what()),
    })
}

fn in_form(command: Command, has_form: bool) -> Result<(), Refusal> {
    if has_form {
        Ok(())
    } else {
        Err(other_form(command).into())
    }
}
