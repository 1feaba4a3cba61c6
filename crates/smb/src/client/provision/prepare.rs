//! Makes the users' missing files.

use std::cell::Cell;

use headcount_load::provision::{each, run};
use headcount_tree::data_set::Place;
use headcount_tree::provision::{
    Ground, OnProgress, Order, Prepared, Progress, RESERVE_BYTES, inscription, marker,
};

use super::cleanup::clear;
use super::errand::{AT_A_TIME, arrive, bounded, log_off};
use super::error::ProvisionError;
use super::territory::root;
use crate::client::session::SmbSession;
use crate::client::{Shared, Smb};
use crate::options::SmbOptions;

/// Makes the missing files of the order's users. Deletes a data set of another seed or size first.
pub fn prepare(
    options: SmbOptions,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<Prepared, ProvisionError> {
    let smb = Smb::new(options)?;
    let root = root(&smb.shared)?;
    run(async {
        let (missing, kept) = survey(&smb, &root, order, on_progress).await?;
        let written_bytes = Cell::new(0);
        let all = order.last - order.first + 1;
        let mut tell = |progress: Progress| {
            on_progress(Progress {
                users_done: kept + progress.users_done,
                users: all,
                ..progress
            })
        };
        let errand = |id| make(&smb, &root, id, order.read_through, &written_bytes);
        let made = each(
            missing.into_iter(),
            AT_A_TIME,
            &written_bytes,
            &mut tell,
            errand,
        )
        .await?;
        let whole = made.iter().filter(|created| !**created).count() as u32;
        Ok(Prepared {
            created: made.len() as u32 - whole,
            kept: kept + whole,
            written_bytes: written_bytes.get(),
        })
    })
}

/// The users whose files are to be made, and how many users are complete.
async fn survey(
    smb: &Smb,
    root: &str,
    order: &Order,
    on_progress: &mut OnProgress<'_>,
) -> Result<(Vec<u32>, u32), ProvisionError> {
    let mut session = arrive(smb, order.first).await?;
    let data_set = &smb.shared.tree.data_set;
    match bounded(session.survey(root), || silent(root)).await? {
        Ground::Theirs => return Err(session.not_ours(root)),
        Ground::Ours(found) if found != inscription(data_set) => {
            clear(smb, on_progress).await?;
            // The folder this session was connected to may have been deleted.
            session = arrive(smb, order.first).await?;
        }
        _ => {}
    }
    let mut missing = Vec::new();
    for id in order.first..=order.last {
        if order.read_through || !session.is_complete(smb.shared.tree.number(id)).await? {
            missing.push(id);
        }
    }
    let kept = order.last - order.first + 1 - missing.len() as u32;
    if !order.read_through {
        check_space(smb, &mut session, &missing).await?;
    }
    // The first user goes first, so that an error with the share is reported once.
    bounded(session.claim(root), || silent(root)).await?;
    log_off(&mut session).await;
    Ok((missing, kept))
}

/// Refuses a data set that does not fit, before any of it is written. Counts what users add during
/// the run, too.
async fn check_space(
    smb: &Smb,
    session: &mut SmbSession,
    missing: &[u32],
) -> Result<(), ProvisionError> {
    let (Some(first), Some(last)) = (missing.first(), missing.last()) else {
        return Ok(());
    };
    let shared = &smb.shared;
    let of_user = |id: u32| -> u64 {
        let number = shared.tree.number(id);
        let own = shared.tree.data_set.own_bytes(number);
        own + if shared.is_first_of_share(id) {
            shared.tree.data_set.shared_bytes()
        } else {
            0
        }
    };
    let here = bounded(session.space(), || silent("")).await?;
    let share = shared.share_of(shared.tree.number(*first));
    let all_here = share == shared.share_of(shared.tree.number(*last)) || {
        let mut other = arrive(smb, *last).await?;
        bounded(other.space(), || silent("")).await?.volume == here.volume
    };
    // If shares are on different volumes, only the first user's share is checked.
    let counted = |id: &&u32| all_here || shared.share_of(shared.tree.number(**id)) == share;
    let data_bytes: u64 = missing.iter().filter(counted).map(|id| of_user(*id)).sum();
    let needed_bytes = data_bytes.saturating_add(RESERVE_BYTES);
    if needed_bytes <= here.free_bytes {
        return Ok(());
    }
    Err(ProvisionError::NoSpace {
        share,
        needed_bytes,
        free_bytes: here.free_bytes,
    })
}

/// Makes one user's files under the user's own name, and notes that they are complete. Returns
/// whether anything was missing or damaged.
async fn make(
    smb: &Smb,
    root: &str,
    id: u32,
    read_through: bool,
    written_bytes: &Cell<u64>,
) -> Result<bool, ProvisionError> {
    let mut session = arrive(smb, id).await?;
    let shared = &*smb.shared;
    bounded(session.claim(root), || silent(root)).await?;
    let is_first = shared.is_first_of_share(id);
    let common = is_first.then(|| shared.tree.data_set.shared());
    let places = common
        .into_iter()
        .flatten()
        .chain(shared.tree.data_set.prepared());
    let own_bytes = session
        .make_places(places, read_through, written_bytes)
        .await
        .map_err(|error| error.of_user(&shared.user.text(session.number)))?;
    let was_complete = session.is_complete(session.number).await?;
    if !was_complete {
        let note = session.completion(session.number);
        let text = inscription(&shared.tree.data_set);
        bounded(session.leave_note(&note, &text), || silent(&note)).await?;
    }
    log_off(&mut session).await;
    Ok(own_bytes > 0 || !was_complete)
}

impl SmbSession {
    async fn make_places(
        &mut self,
        places: impl Iterator<Item = Place>,
        read_through: bool,
        written_bytes: &Cell<u64>,
    ) -> Result<u64, ProvisionError> {
        let mut own_bytes = 0;
        for place in places {
            let path = self.shared.tree.path(self.number, place);
            let moved = bounded(self.prepare(place, read_through), || silent(&path)).await?;
            written_bytes.set(written_bytes.get() + moved.written_bytes);
            own_bytes += moved.written_bytes;
        }
        Ok(own_bytes)
    }

    /// The path of the file that marks a user's files as complete.
    fn completion(&self, number: u32) -> String {
        marker(&self.shared.tree.folder.text(number))
    }

    async fn is_complete(&mut self, number: u32) -> Result<bool, ProvisionError> {
        let note = self.completion(number);
        let found = match bounded(self.note(&note), || silent(&note)).await {
            Ok(found) => found,
            // Not readable by this user; the owner checks it again in `make`.
            Err(fault) if !fault.ends_session => None,
            Err(fault) => return Err(fault.into()),
        };
        Ok(found.is_some_and(|text| text == inscription(&self.shared.tree.data_set)))
    }
}

impl Shared {
    /// Whether the user makes the files that all users of the share have in common.
    fn is_first_of_share(&self, id: u32) -> bool {
        let own = self.share_of(self.tree.number(id));
        id == 0
            || (own != self.share_of(self.tree.number(id - 1))
                && (self.shares == 0 || id < self.shares))
    }
}

fn silent(path: &str) -> String {
    format!("\"{path}\": no answer within the time limit")
}
