//! Deleting a data set, and nothing else.

use std::cell::Cell;
use std::collections::BTreeMap;

use headcount_load::provision::{each, run};
use headcount_load::{Fault, FaultKind};
use headcount_script::Entry;
use headcount_tree::data_set::COMMON_FOLDERS;
use headcount_tree::provision::{Cleaned, Ground, MARKER, OnProgress, is_common};

use super::errand::{AT_A_TIME, arrive, bounded, log_off};
use super::error::ProvisionError;
use super::territory::root;
use crate::client::Smb;
use crate::client::session::SmbSession;
use crate::options::SmbOptions;
use crate::wire::create::{DELETE_ON_CLOSE, DIRECTORY, Disposition, Request, access};

/// Deletes the data set on every share of the options, each user's files under the user's own name.
pub fn cleanup(
    options: SmbOptions,
    on_progress: &mut OnProgress<'_>,
) -> Result<Cleaned, ProvisionError> {
    let smb = Smb::new(options)?;
    run(clear(&smb, on_progress))
}

/// Deletes the data set on every share.
pub(super) async fn clear(
    smb: &Smb,
    on_progress: &mut OnProgress<'_>,
) -> Result<Cleaned, ProvisionError> {
    let shared = &smb.shared;
    let mut cleaned = Cleaned::default();
    // With a share for each user, their number is unknown: stop where no data set is found.
    let most = if shares_differ(smb) && shared.shares == 0 {
        u32::MAX
    } else if shares_differ(smb) {
        shared.shares
    } else {
        1
    };
    for id in 0..most {
        let found = match clear_share(smb, id, on_progress).await {
            Ok(found) => found,
            // The pattern may name more users than the server has.
            Err(error) if id > 0 && shared.shares == 0 && error.is_login() => break,
            Err(error) => return Err(error),
        };
        let Some(found) = found else {
            if shared.shares == 0 {
                break;
            }
            continue;
        };
        cleaned.users += found.users;
        cleaned.files += found.files;
        cleaned.left += found.left;
        cleaned.shares += 1;
    }
    Ok(cleaned)
}

fn shares_differ(smb: &Smb) -> bool {
    smb.shared.share.text(0) != smb.shared.share.text(1)
}

/// Deletes what is on the share of this user of the run; `None` if there is nothing.
async fn clear_share(
    smb: &Smb,
    id: u32,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Cleaned>, ProvisionError> {
    let root = root(&smb.shared)?;
    let mut first = arrive(smb, id).await?;
    let silent = || format!("looking for \"{root}\": no answer within the time limit");
    match bounded(first.survey(&root), silent).await? {
        Ground::Missing | Ground::Empty => return Ok(None),
        Ground::Theirs => return Err(first.not_ours(&root)),
        Ground::Ours(_) => {}
    }
    let mut homes = BTreeMap::new();
    let mut left = 0;
    for entry in bounded(first.entries_in(&root), silent).await? {
        let number = smb.shared.home_number(&root, &entry.name);
        match number {
            Some(number) => drop(homes.insert(number, entry.name)),
            None if is_common(&entry.name) => {}
            None => left += 1,
        }
    }
    let files = Cell::new(0);
    let numbers: Vec<u32> = homes.into_keys().collect();
    let users = numbers.len() as u32;
    each(
        numbers.into_iter(),
        AT_A_TIME,
        &Cell::new(0),
        on_progress,
        |number| clear_home(smb, id, number, &files),
    )
    .await?;
    for name in COMMON_FOLDERS {
        let folder = format!("{root}\\{name}");
        first.remove_tree(&folder, &files).await?;
    }
    if left == 0 {
        let marker = format!("{root}\\{MARKER}");
        bounded(first.remove(&marker, false), silent).await?;
        bounded(first.remove(&root, true), silent).await?;
    }
    log_off(&mut first).await;
    Ok(Some(Cleaned {
        users,
        files: files.get(),
        shares: 1,
        left,
    }))
}

/// Deletes a user's folder as that user. A data set may have been made with other numbers of users
/// and shares: if that user is now on another share, not in the run, or has no login any more, user
/// `id`, who found the folder, deletes it.
async fn clear_home(
    smb: &Smb,
    id: u32,
    number: u32,
    files: &Cell<u64>,
) -> Result<(), ProvisionError> {
    let shared = &smb.shared;
    let home = shared.tree.folder.text(number);
    let same_share = shared.share_of(number) == shared.share_of(shared.tree.number(id));
    let own = number
        .checked_sub(shared.tree.first_user)
        .filter(|_| same_share);
    let is_other = own.is_some_and(|own| own != id);
    let mut session = match arrive(smb, own.unwrap_or(id)).await {
        Err(fault) if is_other && fault.kind == FaultKind::Login => arrive(smb, id).await?,
        arrived => arrived?,
    };
    session.remove_tree(&home, files).await?;
    log_off(&mut session).await;
    Ok(())
}

impl crate::client::Shared {
    /// The number of the user whose folder has this name in `root`.
    fn home_number(&self, root: &str, name: &str) -> Option<u32> {
        self.tree.folder.number(&format!("{root}\\{name}"))
    }
}

impl SmbSession {
    async fn entries_in(&mut self, folder: &str) -> Result<Vec<Entry>, Fault> {
        let mut request = Request::plain(folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        let Some(opened) = self.create_if_there(&request).await? else {
            return Ok(Vec::new());
        };
        let entries = self.all_entries(&opened.file, folder).await?;
        self.close_id(&opened.file).await?;
        Ok(entries)
    }

    /// Deletes a folder with everything in it; adds the number of files to `files`.
    async fn remove_tree(&mut self, folder: &str, files: &Cell<u64>) -> Result<(), Fault> {
        let silent = || format!("deleting \"{folder}\": no answer within the time limit");
        // Folders found on the way down are deleted on the way up.
        let mut folders = vec![folder.to_owned()];
        let mut at = 0;
        while let Some(current) = folders.get(at).cloned() {
            for entry in bounded(self.entries_in(&current), silent).await? {
                let path = format!("{current}\\{}", entry.name);
                if entry.is_folder {
                    folders.push(path);
                } else {
                    bounded(self.remove(&path, false), silent).await?;
                    files.set(files.get() + 1);
                }
            }
            at += 1;
        }
        for folder in folders.iter().rev() {
            bounded(self.remove(folder, true), silent).await?;
        }
        Ok(())
    }

    /// Deletes one file or empty folder, if it is there.
    pub(super) async fn remove(&mut self, path: &str, is_folder: bool) -> Result<(), Fault> {
        let mut request = Request::plain(path, access::DELETE, Disposition::Open);
        request.options = DELETE_ON_CLOSE | if is_folder { DIRECTORY } else { 0 };
        match self.create_if_there(&request).await? {
            Some(opened) => self.close_id(&opened.file).await,
            None => Ok(()),
        }
    }
}
