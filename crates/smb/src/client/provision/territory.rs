//! The folder in which Headcount may write and delete: one that bears its marker file.

use headcount_load::{Fault, FaultKind};
use headcount_tree::data_set::DataSet;

use super::errand::simple;
use super::error::ProvisionError;
use super::listing::Entry;
use crate::client::session::SmbSession;
use crate::client::{Shared, SmbError};
use crate::wire::create::{DIRECTORY, Disposition, access};

/// The file that says that a folder is Headcount's, and which data set is in it.
pub const MARKER: &str = ".headcount";

const WARNING: &str = "This folder belongs to Headcount: everything in it is made and deleted by \
                       it. The data set:\n";

/// The folder of the data set below the share.
pub fn root(shared: &Shared) -> Result<String, SmbError> {
    let name = shared.folder.name(0);
    let root = name.rsplit_once('\\').map(|(above, _)| above.to_owned());
    let same_for_all = root.clone().filter(|root| {
        let other = shared.folder.name(1);
        !root.is_empty()
            && other
                .rsplit_once('\\')
                .is_some_and(|(above, _)| above == *root)
    });
    same_for_all.ok_or_else(|| {
        SmbError::Options(format!(
            "the users' folders need a folder around them that is theirs alone, as in \
             headcount\\user{{n:05}}; they are {name}"
        ))
    })
}

/// What marker files say of a data set: equal for equal data sets only.
pub fn inscription(data_set: &DataSet) -> Vec<u8> {
    let figures = serde_json::to_string(data_set).unwrap_or_default(); // numbers always have a form
    format!("{WARNING}{figures}\n").into_bytes()
}

/// What a folder is.
#[derive(Debug, PartialEq, Eq)]
pub enum Ground {
    /// Not there.
    Missing,
    /// There, with nothing in it.
    Empty,
    /// Headcount's, with this in its marker.
    Ours(Vec<u8>),
    /// There, with something in it and no marker.
    Theirs,
}

impl SmbSession {
    /// What the folder is.
    pub(super) async fn survey(&mut self, folder: &str) -> Result<Ground, Fault> {
        if let Some(inscription) = self.note(&marker(folder)).await? {
            return Ok(Ground::Ours(inscription));
        }
        let mut request = simple(folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        let Some(opened) = self.find(&request).await? else {
            return Ok(Ground::Missing);
        };
        let entries = self.entries(&opened.file, folder).await?;
        self.close_file(&opened.file).await?;
        if entries.iter().any(|entry| entry.name == MARKER) {
            // Somebody marked it while it was looked at.
            let inscription = self.note(&marker(folder)).await?;
            return Ok(Ground::Ours(inscription.unwrap_or_default()));
        }
        Ok(if entries.iter().all(Entry::is_dots) {
            Ground::Empty
        } else {
            Ground::Theirs
        })
    }

    /// Makes the folder Headcount's, or makes sure that it is.
    pub(super) async fn claim(&mut self, folder: &str) -> Result<(), ProvisionError> {
        let ground = self.survey(folder).await?;
        let inscription = inscription(&self.shared.data_set);
        match ground {
            Ground::Ours(_) => return Ok(()),
            Ground::Theirs => return Err(self.not_ours(folder)),
            Ground::Missing | Ground::Empty => {}
        }
        let share = self.shared.share_of(self.number);
        let user = self.shared.user.name(self.number);
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

/// The marker file of a folder.
pub fn marker(folder: &str) -> String {
    format!("{folder}\\{MARKER}")
}
