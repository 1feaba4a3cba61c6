//! The folder in which Headcount may write and delete: one that has its marker file.

use headcount_load::{Fault, FaultKind};
use headcount_tree::provision::{self, Ground, MARKER, inscription, marker};

use super::error::ProvisionError;
use crate::client::session::SmbSession;
use crate::client::{Shared, SmbError};
use crate::wire::create::{DIRECTORY, Disposition, Request, access};

/// The folder of the data set below the share.
pub fn root(shared: &Shared) -> Result<String, SmbError> {
    provision::root(&shared.tree.folder).map_err(SmbError::Options)
}

impl SmbSession {
    /// Whose folder it is, if there is one.
    pub(super) async fn survey(&mut self, folder: &str) -> Result<Ground, Fault> {
        if let Some(inscription) = self.note(&marker(folder)).await? {
            return Ok(Ground::Ours(inscription));
        }
        let mut request = Request::plain(folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        let Some(opened) = self.create_if_there(&request).await? else {
            return Ok(Ground::Missing);
        };
        let entries = self.all_entries(&opened.file, folder).await?;
        self.close_id(&opened.file).await?;
        if entries.iter().any(|entry| entry.name == MARKER) {
            // The marker was written since it was first looked for.
            let inscription = self.note(&marker(folder)).await?;
            return Ok(Ground::Ours(inscription.unwrap_or_default()));
        }
        Ok(if entries.is_empty() {
            Ground::Empty
        } else {
            Ground::Theirs
        })
    }

    /// Makes the folder with its marker, unless it has one. Fails if the folder is somebody else's.
    pub(super) async fn claim(&mut self, folder: &str) -> Result<(), ProvisionError> {
        let ground = self.survey(folder).await?;
        let inscription = inscription(&self.shared.tree.data_set);
        match ground {
            Ground::Ours(_) => return Ok(()),
            Ground::Theirs => return Err(self.not_ours(folder)),
            Ground::Missing | Ground::Empty => {}
        }
        let share = self.shared.share_of(self.number);
        let user = self.shared.user.text(self.number);
        let marked = match self.make_folders(folder).await {
            Ok(()) => self.leave_note(&marker(folder), &inscription).await,
            Err(fault) => Err(fault),
        };
        marked.map_err(|fault| match fault.kind {
            FaultKind::Refused => ProvisionError::ReadOnly {
                share,
                user,
                reason: fault.message.into(),
            },
            _ => fault.into(),
        })
    }

    pub(super) fn not_ours(&self, folder: &str) -> ProvisionError {
        ProvisionError::NotOurs {
            folder: folder.to_owned(),
            share: self.shared.share_of(self.number),
            marker: MARKER,
        }
    }
}
