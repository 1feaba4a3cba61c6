//! All held connections, and the folders made for them on the server.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use headcount_load::Fault;
use headcount_tree::provision::{Ground, MARKER};

use super::errand::{AT_A_TIME, arrive, bounded, log_off};
use super::error::ProvisionError;
use super::held::Held;
use super::holding::{Holding, Notes};
use super::territory::root;
use crate::client::Smb;
use crate::client::session::SmbSession;

/// How often cancellation is checked, and the pause between attempts to delete a folder.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Attempts to delete a folder, [`LOOK_EVERY`] apart: ten seconds.
const CLEARANCES: u32 = 200;

/// All held connections.
pub struct Holder {
    smb: Smb,
    notes: Arc<Notes>,
    held: Vec<Held>,
    holding: Holding,
    /// Shares that have Headcount's folder; with the user who made it, if it was made here.
    grounds: BTreeMap<String, Option<u32>>,
    /// Users whose folder was made here.
    homes: BTreeSet<u32>,
}

impl Holder {
    pub fn new(smb: Smb, notes: Arc<Notes>) -> Self {
        Self {
            smb,
            notes,
            held: Vec::new(),
            holding: Holding::default(),
            grounds: BTreeMap::new(),
            homes: BTreeSet::new(),
        }
    }

    pub async fn bring(&mut self, holding: Holding) -> Result<Holding, ProvisionError> {
        let kept = self.held.len().min(holding.connections as usize);
        let surplus = self.held.split_off(kept);
        self.each(surplus, |mut held| async move {
            let closed = held.hold_files(0).await;
            let silent = || "LOGOFF: no answer within the time limit".to_owned();
            let left = bounded(held.session.logoff(), silent).await;
            (None, closed.and(left.map_err(ProvisionError::from)))
        })
        .await?;
        self.connect(holding.connections).await?;
        let held = std::mem::take(&mut self.held);
        self.each(held, |mut held| async move {
            let done = held.hold_trees(holding.trees.max(1)).await;
            (Some(held), done)
        })
        .await?;
        if holding.files > 0 {
            self.make_ground().await?;
        }
        let held = std::mem::take(&mut self.held);
        self.each(held, |mut held| async move {
            let done = held.hold_files(holding.files).await;
            (Some(held), done)
        })
        .await?;
        self.holding = holding;
        Ok(holding)
    }

    pub async fn check(&mut self) -> Result<Holding, ProvisionError> {
        let held = std::mem::take(&mut self.held);
        self.each(held, |mut held| async move {
            let answers = held.answers().await;
            (answers.is_ok().then_some(held), Ok(()))
        })
        .await?;
        Ok(Holding {
            connections: self.held.len() as u32,
            ..self.holding
        })
    }

    /// Closes all files and connections and deletes the folders made for them.
    pub async fn close(&mut self) -> Result<Holding, ProvisionError> {
        self.notes.is_cancelled.store(false, Ordering::Relaxed);
        let held = std::mem::take(&mut self.held);
        let mut outcome = self
            .each(held, |mut held| async move {
                let closed = held.hold_files(0).await;
                (Some(held), closed)
            })
            .await;
        let cleared = self.clear().await;
        outcome = outcome.and(cleared);
        let held = std::mem::take(&mut self.held);
        self.each(held, |mut held| async move {
            log_off(&mut held.session).await;
            (None, Ok(()))
        })
        .await?;
        self.holding = Holding::default();
        outcome.map(|()| self.holding)
    }

    /// Logs on users until there are `connections`.
    async fn connect(&mut self, connections: u32) -> Result<(), ProvisionError> {
        let smb = self.smb.clone();
        let missing: Vec<u32> = (self.held.len() as u32..connections).collect();
        self.each(missing, |id| {
            let smb = smb.clone();
            async move {
                match Held::new(&smb, id).await {
                    Ok(held) => (Some(held), Ok(())),
                    Err(error) => (None, Err(error)),
                }
            }
        })
        .await
    }

    /// Makes the missing folders for the files, and notes which ones it made.
    async fn make_ground(&mut self) -> Result<(), ProvisionError> {
        let root = root(&self.smb.shared)?;
        for held in &mut self.held {
            let silent = || format!("\"{root}\": no answer within the time limit");
            let share = held.session.shared.share_of(held.session.number);
            if let Entry::Vacant(unknown) = self.grounds.entry(share) {
                let ground = bounded(held.session.survey(&root), silent).await?;
                let is_new = matches!(ground, Ground::Missing | Ground::Empty);
                unknown.insert(is_new.then_some(held.id));
                bounded(held.session.claim(&root), silent).await?;
            }
            let home = held.home();
            if !self.homes.contains(&held.id)
                && bounded(held.session.survey(&home), silent).await? == Ground::Missing
            {
                self.homes.insert(held.id);
                bounded(held.session.make_folders(&home), silent).await?;
            }
        }
        Ok(())
    }

    /// Deletes the folders that were made here.
    async fn clear(&mut self) -> Result<(), ProvisionError> {
        let root = root(&self.smb.shared)?;
        let silent = || format!("deleting \"{root}\": no answer within the time limit");
        for id in std::mem::take(&mut self.homes) {
            let home = self
                .smb
                .shared
                .tree
                .folder
                .text(self.smb.shared.tree.number(id));
            let mut other = None;
            let session = self.session(id, &mut other).await?;
            bounded(remove_emptied(session, &home), silent).await?;
        }
        for id in std::mem::take(&mut self.grounds).into_values().flatten() {
            let mut other = None;
            let session = self.session(id, &mut other).await?;
            bounded(session.remove(&format!("{root}\\{MARKER}"), false), silent).await?;
            bounded(remove_emptied(session, &root), silent).await?;
        }
        Ok(())
    }

    /// The session of a user: the held one, or a new one, stored in `other`.
    async fn session<'a>(
        &'a mut self,
        id: u32,
        other: &'a mut Option<SmbSession>,
    ) -> Result<&'a mut SmbSession, ProvisionError> {
        let held = self.held.iter_mut().find(|held| held.id == id);
        Ok(match held {
            Some(held) => &mut held.session,
            None => other.insert(arrive(&self.smb, id).await?),
        })
    }

    /// Runs `errand` for each item, several at a time, and keeps the connections that it returns.
    /// Returns the first error after all have run, or stops if cancelled.
    async fn each<T, F>(
        &mut self,
        all: Vec<T>,
        errand: impl Fn(T) -> F,
    ) -> Result<(), ProvisionError>
    where
        F: Future<Output = (Option<Held>, Result<(), ProvisionError>)>,
    {
        let mut first = Ok(());
        let mut errands = stream::iter(all.into_iter().map(errand)).buffer_unordered(AT_A_TIME);
        let mut ticks = tokio::time::interval(LOOK_EVERY);
        loop {
            tokio::select! {
                next = errands.next() => match next {
                    Some((held, done)) => {
                        self.held.extend(held);
                        first = first.and(done);
                        self.notes.done.fetch_add(1, Ordering::Relaxed);
                    }
                    None => break,
                },
                _ = ticks.tick() => {}
            }
            if self.notes.is_cancelled.load(Ordering::Relaxed) {
                first = Err(ProvisionError::Cancelled);
                break;
            }
        }
        self.held.sort_unstable_by_key(|held| held.id);
        first
    }
}

/// Deletes a folder that will be empty soon: the server closes, and so deletes, the files of a
/// dropped connection only when it notices the drop. Until then, it may even create one more file
/// whose request was already sent, after it has agreed to delete the folder. So this checks that
/// the folder is gone.
async fn remove_emptied(session: &mut SmbSession, folder: &str) -> Result<(), Fault> {
    for _ in 0..CLEARANCES {
        match session.remove(folder, true).await {
            Err(fault) if fault.ends_session => return Err(fault),
            Ok(()) if matches!(session.survey(folder).await, Ok(Ground::Missing)) => return Ok(()),
            _ => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
    session.remove(folder, true).await
}
