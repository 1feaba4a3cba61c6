//! Empties the users' mailboxes.

use std::cell::Cell;

use headcount_load::Fault;
use headcount_load::provision::{each, run};

use super::errand::{AT_A_TIME, arrive, in_folder};
use super::error::ProvisionError;
use super::plan::UNFINISHED;
use super::territory::{Ground, Survey};
use super::{Cleaned, OnProgress, Order};
use crate::client::session::INBOX;
use crate::client::{Mail, MailSession};
use crate::options::MailOptions;

/// Deletes all mail of the order's users whose mailboxes have the marker, the folders made for it,
/// and the marker last. Mailboxes without the marker are left as they are.
pub fn cleanup(
    options: MailOptions,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<Cleaned, ProvisionError> {
    let mail = Mail::new(options)?;
    run(async {
        let nothing = Cell::new(0);
        let errand = |id| sweep(&mail, id);
        let swept = each(order.users(), AT_A_TIME, &nothing, on_progress, errand).await?;
        let users = swept.iter().flatten().count() as u32;
        Ok(Cleaned {
            users,
            messages: swept.iter().flatten().sum(),
            left: swept.len() as u32 - users,
        })
    })
}

/// Empties a mailbox. Returns the number of messages deleted; `None` if it is not Headcount's.
async fn sweep(mail: &Mail, id: u32) -> Result<Option<u64>, ProvisionError> {
    let name = mail.shared.user.text(mail.shared.number(id));
    let mut session = arrive(mail, id).await?;
    let swept = session
        .sweep()
        .await
        .map_err(|error| error.of_user(&name))?;
    session.log_off().await;
    Ok(swept)
}

impl MailSession {
    async fn sweep(&mut self) -> Result<Option<u64>, ProvisionError> {
        let mut survey = self.survey().await?;
        let Ground::Ours(_) = &survey.ground else {
            return Ok(None);
        };
        let marker = self.shared.options.folders.marker.clone();
        in_folder(&marker, self.mark(UNFINISHED)).await?;
        let messages = self.clear_ours(&mut survey).await?;
        let removed = async {
            // Not every server can delete the selected folder.
            self.select_anew(INBOX).await?;
            self.imap().await?.remove(&marker).await
        };
        in_folder(&marker, removed).await?;
        Ok(Some(messages))
    }

    /// Deletes the mail and the folders that Headcount makes, but not the marker. Returns the
    /// number of messages deleted.
    pub(super) async fn clear_ours(&mut self, survey: &mut Survey) -> Result<u64, ProvisionError> {
        let names = self.shared.options.folders.clone();
        let mut messages = 0;
        for folder in std::mem::take(&mut survey.folders) {
            let name = &*folder.name;
            let is_kept = [INBOX, &names.trash, &names.sent].contains(&name);
            let is_made = Self::is_own(name) || name == names.calendar;
            if is_kept || is_made {
                messages += u64::from(in_folder(name, self.clear(name)).await?);
            }
            if is_made {
                in_folder(name, self.drop_folder(name)).await?;
            } else {
                survey.folders.push(folder);
            }
        }
        Ok(messages)
    }

    async fn drop_folder(&mut self, folder: &str) -> Result<(), Fault> {
        self.leave().await?;
        self.imap().await?.remove(folder).await
    }
}
