//! Makes what is missing in the users' mailboxes, and undoes what a run has changed.

use std::time::Duration;

use headcount_load::provision::{each, run};

use super::errand::{AT_A_TIME, arrive, in_folder};
use super::error::ProvisionError;
use super::place::Written;
use super::plan::UNFINISHED;
use super::territory::Ground;
use super::{OnProgress, Order, Prepared};
use crate::client::{Mail, MailSession};
use crate::options::MailOptions;

/// How long the answer to LOGOUT may take. A working server answers at once.
const LOG_OFF: Duration = Duration::from_secs(5);

/// Makes the mailboxes of the order's users hold what the profile says. Keeps folders that are
/// right, re-creates mailboxes of another data set, and removes what runs have left.
pub fn prepare(
    options: MailOptions,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<Prepared, ProvisionError> {
    let mail = Mail::new(options)?;
    run(async {
        // The first user goes first, so that an error with the server is reported once.
        drop(arrive(&mail, order.first).await?);
        let written = Written::default();
        let errand = |id| make(&mail, id, order.read_through, &written);
        let made = each(
            order.users(),
            AT_A_TIME,
            &written.bytes,
            on_progress,
            errand,
        )
        .await?;
        let created = made.iter().filter(|created| **created).count() as u32;
        Ok(Prepared {
            created,
            kept: made.len() as u32 - created,
            messages: written.messages.get(),
            written_bytes: written.bytes.get(),
        })
    })
}

/// Makes or restores one user's mailbox. Returns whether it was incomplete or damaged.
async fn make(
    mail: &Mail,
    id: u32,
    read_through: bool,
    written: &Written,
) -> Result<bool, ProvisionError> {
    let name = mail.shared.user.text(mail.shared.number(id));
    let mut session = arrive(mail, id).await?;
    let made = session.make(read_through, written).await;
    let made = made.map_err(|error| error.of_user(&name))?;
    session.log_off().await;
    Ok(made)
}

impl MailSession {
    async fn make(
        &mut self,
        read_through: bool,
        written: &Written,
    ) -> Result<bool, ProvisionError> {
        let inscription = self.shared.options.inscription();
        let marker = self.shared.options.folders.marker.clone();
        let mut survey = self.survey().await?;
        let is_complete = match &survey.ground {
            Ground::Theirs { folder, messages } => {
                return Err(self.not_ours(folder.clone(), *messages));
            }
            Ground::Ours(subjects) => subjects.last() == Some(&inscription),
            Ground::Empty => false,
        };
        in_folder(&marker, self.occupy(&mut survey)).await?;
        if !is_complete {
            in_folder(&marker, self.mark(UNFINISHED)).await?;
            self.clear_ours(&mut survey).await?;
        }
        let holdings: Vec<_> = self.shared.options.holdings().collect();
        let mut was_damaged = false;
        for holding in &holdings {
            let folder = &holding.folder;
            if !survey.has(folder) {
                let created = async { self.imap().await?.create(folder).await };
                in_folder(folder, created).await?;
            }
            let restored = self.restore(holding, read_through, written);
            let was_short = in_folder(folder, restored).await?;
            // Only folders of old mail count: users change the others in every run.
            was_damaged |= was_short && Self::is_own(folder);
        }
        if !is_complete {
            in_folder(&marker, self.mark(&inscription)).await?;
        }
        Ok(!is_complete || was_damaged)
    }

    /// Whether a folder is one of those that hold old mail.
    pub(super) fn is_own(folder: &str) -> bool {
        let number = folder
            .strip_prefix('f')
            .and_then(|number| number.parse().ok());
        number.is_some_and(|number: u32| Self::own_folder(number) == folder)
    }

    /// Logs off once the work is done. Ignores errors, and waits a few seconds at most.
    pub(super) async fn log_off(&mut self) {
        if let Some(imap) = self.imap.take() {
            let _ = tokio::time::timeout(LOG_OFF, imap.logout()).await;
        }
    }
}
