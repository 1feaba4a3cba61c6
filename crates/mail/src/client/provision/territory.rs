//! Whether a mailbox may be written to at all.

use headcount_load::Fault;

use super::errand::in_folder;
use super::error::ProvisionError;
use super::plan::UNFINISHED;
use crate::client::MailSession;
use crate::imap::{Fetched, Folder, Uids, What};

/// What every marker begins with.
const MARK: &[u8] = b"Headcount mailbox";
/// Most bytes of a subject that are read.
const SUBJECT_BYTES: usize = 4096;

/// Whose mailbox it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ground {
    /// It has neither a marker nor mail.
    Empty,
    /// Headcount's: the subjects in the marker folder.
    Ours(Vec<String>),
    /// It has mail, but no marker.
    Theirs {
        /// The first folder with mail.
        folder: String,
        /// The number of messages in it.
        messages: u32,
    },
}

/// A mailbox as found.
#[derive(Debug)]
pub struct Survey {
    /// Whose it is.
    pub ground: Ground,
    /// Its folders.
    pub folders: Vec<Folder>,
}

impl Survey {
    /// Whether there is a folder of this name.
    pub fn has(&self, name: &str) -> bool {
        self.folders.iter().any(|folder| folder.name == name)
    }
}

impl MailSession {
    /// Finds out whose mailbox it is, without changing it.
    pub(super) async fn survey(&mut self) -> Result<Survey, ProvisionError> {
        let marker = self.shared.options.folders.marker.clone();
        let listed = async { self.imap().await?.list("", "*").await };
        let folders: Vec<Folder> = in_folder("LIST", listed).await?;
        let survey = |ground| Survey {
            ground,
            folders: folders.clone(),
        };
        if folders.iter().any(|folder| folder.name == marker) {
            let subjects = in_folder(&marker, self.subjects(&marker)).await?;
            let is_mark = |subject: &String| subject.as_bytes().starts_with(MARK);
            if subjects.iter().any(is_mark) {
                return Ok(survey(Ground::Ours(subjects)));
            }
        }
        for folder in folders.iter().filter(|folder| folder.is_selectable()) {
            let name = &folder.name;
            let status = async { self.imap().await?.status(name).await };
            let messages = in_folder(name, status).await?.messages;
            if messages > 0 {
                let folder = name.clone();
                return Ok(survey(Ground::Theirs { folder, messages }));
            }
        }
        Ok(survey(Ground::Empty))
    }

    /// The error for a mailbox that belongs to somebody else.
    pub(super) fn not_ours(&self, folder: String, messages: u32) -> ProvisionError {
        ProvisionError::NotOurs {
            user: self.shared.user.text(self.number),
            folder,
            messages,
            marker: self.shared.options.folders.marker.clone(),
        }
    }

    /// The subjects of the messages of a folder.
    async fn subjects(&mut self, folder: &str) -> Result<Vec<String>, Fault> {
        self.select_anew(folder).await?;
        let imap = self.imap().await?;
        if imap.exists() == 0 {
            return Ok(Vec::new());
        }
        let mut subjects = Vec::new();
        let mut subject = Vec::new();
        let mut on = |fetched: Fetched<'_>| match fetched {
            Fetched::Piece(piece) => {
                let room = SUBJECT_BYTES.saturating_sub(subject.len());
                subject.extend_from_slice(&piece.bytes[..piece.bytes.len().min(room)]);
            }
            Fetched::Message(_) => subjects.push(unfolded(&std::mem::take(&mut subject))),
        };
        let what = What::HeaderFields(&["SUBJECT"]);
        imap.fetch(&Uids::all(), what, &mut on).await?;
        Ok(subjects)
    }

    /// Marks an empty mailbox as Headcount's, before anything else is written.
    pub(super) async fn occupy(&mut self, survey: &mut Survey) -> Result<(), Fault> {
        if survey.ground != Ground::Empty {
            return Ok(());
        }
        let marker = self.shared.options.folders.marker.clone();
        if !survey.has(&marker) {
            self.imap().await?.create(&marker).await?;
        }
        self.mark(UNFINISHED).await?;
        survey.ground = Ground::Ours(vec![UNFINISHED.to_owned()]);
        Ok(())
    }

    /// Appends a marker with this subject to its folder, then removes older ones.
    pub(super) async fn mark(&mut self, subject: &str) -> Result<(), Fault> {
        let marker = self.shared.options.folders.marker.clone();
        let own = self.shared.address.text(self.number);
        let message = self.shared.options.marker(self.number, subject, &own);
        self.put(&marker, "\\Seen", &message).await?;
        self.select_anew(&marker).await?;
        let exists = self.imap().await?.exists();
        if exists < 2 {
            return Ok(());
        }
        let older: Uids = self.uids_of(1, exists - 1).await?.into_iter().collect();
        self.remove(&older).await
    }
}

/// The value of a header field on one line (RFC 5322, 2.2.3).
fn unfolded(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    let value = text.split_once(':').map_or("", |(_, value)| value);
    value.replace("\r\n", "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_subjects_are_unfolded() {
        let subject = b"Subject: Headcount mailbox 1: seed 7,\r\n 20 x 5\r\n\r\n";
        assert_eq!(unfolded(subject), "Headcount mailbox 1: seed 7, 20 x 5");
        assert_eq!(unfolded(b""), "");
    }
}
