//! CREATE and CLOSE, and requests about a name that share a frame with them.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};
use headcount_tree::parts::Share;
use headcount_tree::program::answer::Answer;
use headcount_tree::query::Query;
use headcount_tree::session::backend::{FileBackend, Refusal};

use super::answer::{in_form, other_form, refuse, refused};
use super::session::SmbSession;
use crate::connection::Ask;
use crate::wire::create::{
    DELETE_ON_CLOSE, DIRECTORY, Disposition, NOT_DIRECTORY, Opened, Request, access, encode_close,
};
use crate::wire::header::Command;
use crate::wire::info::{Change, QueryInfo};
use crate::wire::status::Status;
use crate::wire::{FileId, NO_FILE, directory};

/// Bytes of entries requested at a time, as Explorer does.
pub(super) const LISTING_BYTES: u32 = 64 << 10;
/// Bytes of the largest answer about a file.
pub(super) const ANSWER_BYTES: u32 = 4 << 10;
/// Folders nested deeper than this are not deleted: no server allows such a long path.
const MOST_DEPTH: u32 = 256;

/// The request between CREATE and CLOSE of a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Middle<'a> {
    /// QUERY_INFO.
    Query(Query),
    /// QUERY_DIRECTORY with this pattern, one response only.
    List(&'a str),
    /// SET_INFO.
    Change(Change<'a>),
}

impl SmbSession {
    /// Sends the CREATE request.
    pub(super) async fn create(&mut self, request: &Request<'_>) -> Result<Opened, Refusal> {
        self.create_as(request, None).await
    }

    /// The same, counted as a request of `kind` if given, else as CREATE.
    pub(super) async fn create_as(
        &mut self,
        request: &Request<'_>,
        kind: Option<usize>,
    ) -> Result<Opened, Refusal> {
        let usual = Ask::new(Command::Create, self.tree(Share::Data).await?);
        let ask = Ask {
            counted: kind.unwrap_or(usual.counted),
            ..usual
        };
        let created = self.connection.exchange(
            ask,
            |out| request.encode(out),
            |head, body| {
                let what = || format!("CREATE \"{}\"", request.path);
                Ok(match refused(head, what) {
                    Ok(()) => Ok(Opened::parse(body).ok_or_else(|| other_form(Command::Create))?),
                    Err(refusal) => Err(refusal),
                })
            },
        );
        created.await?
    }

    /// Sends the CREATE request; `None` if nothing has this name.
    pub(super) async fn create_if_there(
        &mut self,
        request: &Request<'_>,
    ) -> Result<Option<Opened>, Fault> {
        let ask = Ask::new(Command::Create, self.tree(Share::Data).await?);
        self.connection
            .exchange(
                ask,
                |out| request.encode(out),
                |head, body| {
                    if head.status.is_not_found() {
                        return Ok(None);
                    }
                    refuse(head, || format!("CREATE \"{}\"", request.path))?;
                    Opened::parse(body)
                        .map(Some)
                        .ok_or_else(|| other_form(Command::Create))
                },
            )
            .await
    }

    /// Closes a handle without an oplock.
    pub(super) async fn close_id(&mut self, file: &FileId) -> Result<(), Fault> {
        let ask = Ask::new(Command::Close, self.tree(Share::Data).await?);
        self.connection
            .exchange(
                ask,
                |out| encode_close(out, file),
                |head, _| refuse(head, || "CLOSE".into()),
            )
            .await
    }

    /// Sends CREATE, `middle` if given, and CLOSE in one frame, as Explorer does. Waits for all
    /// responses; returns the first refusal.
    pub(super) async fn on_name(
        &mut self,
        request: &Request<'_>,
        middle: Option<Middle<'_>>,
    ) -> Result<(), Refusal> {
        self.on_name_with(request, middle, |_| {}).await
    }

    /// The same; `see` gets the body of the response to `middle`.
    pub(super) async fn on_name_with(
        &mut self,
        request: &Request<'_>,
        middle: Option<Middle<'_>>,
        mut see: impl FnMut(&[u8]),
    ) -> Result<(), Refusal> {
        let tree = self.tree(Share::Data).await?;
        let create = Ask::new(Command::Create, tree);
        let close = Ask::new(Command::Close, tree);
        let listing = LISTING_BYTES.min(self.connection.state.agreed.max_transact);
        let (pair, triple);
        let asks: &[Ask] = match middle {
            None => {
                pair = [create, close];
                &pair
            }
            Some(middle) => {
                triple = [create, middle.ask(tree, listing), close];
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
                    (_, Some(middle)) => middle.encode(out, listing),
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
                                (_, Some(middle)) => {
                                    see(body);
                                    in_form(command, middle.has_form(body))
                                }
                            });
                    if first.is_none() {
                        first = judged.err();
                    }
                },
            )
            .await?;
        first.map_or(Ok(()), Err)
    }

    /// Deletes a folder with everything in it.
    pub(super) async fn remove_below(&mut self, folder: String, depth: u32) -> Result<(), Refusal> {
        let mut request = Request::plain(&folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        let Some(opened) = self.create_if_there(&request).await? else {
            return Err(Refusal {
                answer: Answer::Missing,
                fault: Status::OBJECT_NAME_NOT_FOUND.fault(&format!("CREATE \"{folder}\"")),
            });
        };
        let entries = self.all_entries(&opened.file, &folder).await?;
        self.close_id(&opened.file).await?;
        if depth == MOST_DEPTH {
            let sentence = format!("\"{folder}\" is too deep to be deleted");
            return Err(Fault::step(FaultKind::Refused, sentence).into());
        }
        for entry in entries {
            let path = format!("{folder}\\{}", entry.name);
            if entry.is_folder {
                Box::pin(self.remove_below(path, depth + 1)).await?;
            } else {
                self.remove_file(&path).await?;
            }
        }
        self.remove_folder(&folder).await
    }

    /// Deletes a file.
    pub(super) async fn remove_file(&mut self, path: &str) -> Result<(), Refusal> {
        let mut request = Request::plain(path, access::DELETE, Disposition::Open);
        request.options = DELETE_ON_CLOSE | NOT_DIRECTORY;
        self.on_name(&request, None).await
    }
}

impl Middle<'_> {
    const fn ask(&self, tree: u32, listing_bytes: u32) -> Ask {
        let (command, bytes) = match self {
            Self::Query(_) => (Command::QueryInfo, ANSWER_BYTES),
            Self::List(_) => (Command::QueryDirectory, listing_bytes),
            Self::Change(_) => (Command::SetInfo, 0),
        };
        Ask {
            bytes,
            ..Ask::new(command, tree)
        }
    }

    fn encode(&self, out: &mut Vec<u8>, listing_bytes: u32) {
        match self {
            Self::Query(query) => query.encode(out, &NO_FILE, ANSWER_BYTES),
            Self::List(mask) => directory::encode(out, &NO_FILE, mask, true, listing_bytes),
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
