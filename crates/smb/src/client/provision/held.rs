//! One held connection: its connections to shares and its open files.

use super::errand::{arrive, bounded};
use super::error::ProvisionError;
use crate::client::Smb;
use crate::client::answer::refuse;
use crate::client::session::SmbSession;
use crate::connection::Ask;
use crate::wire::FileId;
use crate::wire::create::{DELETE_ON_CLOSE, Disposition, NOT_DIRECTORY, Request, access};
use crate::wire::header::Command;
use crate::wire::session::encode_nothing;

/// A user's connection and what it holds open.
pub struct Held {
    /// The user's number in the run.
    pub id: u32,
    pub session: SmbSession,
    /// Connections to shares beyond the first.
    trees: Vec<u32>,
    /// Open files, all delete-on-close.
    files: Vec<FileId>,
}

impl Held {
    /// Logs on as the user with this number of the run.
    pub async fn new(smb: &Smb, id: u32) -> Result<Self, ProvisionError> {
        let session = arrive(smb, id).await?;
        Ok(Self {
            id,
            session,
            trees: Vec::new(),
            files: Vec::new(),
        })
    }

    /// Connects or disconnects shares until there are `trees`, the first included. Each connects to
    /// the next share if there are several, otherwise to the same one again.
    pub async fn hold_trees(&mut self, trees: u32) -> Result<(), ProvisionError> {
        let more = trees.saturating_sub(1) as usize;
        while self.trees.len() > more {
            let Some(tree) = self.trees.pop() else { break };
            let silent = self.silent("leaving a share");
            let ask = Ask::new(Command::TreeDisconnect, tree);
            let left = self
                .session
                .connection
                .exchange(ask, encode_nothing, |head, _| {
                    refuse(head, || "TREE_DISCONNECT".into())
                });
            bounded(left, || silent).await?;
            self.session.connection.state.encryption.end_tree(tree);
        }
        while self.trees.len() < more {
            let next = self
                .session
                .number
                .wrapping_add(self.trees.len() as u32 + 1);
            let name = match self.session.shared.shares {
                0 => self.session.shared.share_of(self.session.number),
                _ => self.session.shared.share_of(next),
            };
            let silent = self.silent("connecting to a share");
            let tree = bounded(self.session.connect_to(&name), || silent).await?;
            self.trees.push(tree);
        }
        Ok(())
    }

    /// Opens or closes files until `files` are open. The user's folder must exist.
    pub async fn hold_files(&mut self, files: u32) -> Result<(), ProvisionError> {
        while self.files.len() > files as usize {
            let Some(file) = self.files.pop() else { break };
            let silent = self.silent("closing a file");
            bounded(self.session.close_id(&file), || silent).await?;
        }
        while self.files.len() < files as usize {
            let home = self.home();
            let path = format!("{home}\\hold{:05}-{:05}.tmp", self.id, self.files.len());
            let mut request = Request::plain(
                &path,
                access::READ | access::WRITE | access::DELETE,
                Disposition::Create,
            );
            request.options = NOT_DIRECTORY | DELETE_ON_CLOSE;
            let silent = self.silent("opening a file");
            let opened = bounded(self.session.create(&request), || silent).await?;
            self.files.push(opened.file);
        }
        Ok(())
    }

    /// Checks with an ECHO that the server still answers.
    pub async fn answers(&mut self) -> Result<(), ProvisionError> {
        let silent = self.silent("an echo");
        let answer = self.session.connection.exchange(
            Ask::new(Command::Echo, 0),
            encode_nothing,
            |head, _| refuse(head, || "ECHO".into()),
        );
        Ok(bounded(answer, || silent).await?)
    }

    /// The user's folder below the share.
    pub fn home(&self) -> String {
        self.session.shared.tree.folder.text(self.session.number)
    }

    fn silent(&self, what: &str) -> String {
        format!(
            "connection {}: {what}: no answer within the time limit",
            self.id
        )
    }
}
