//! Recovering from a lost session, as a person's computer does: it logs on again, reopens the open
//! files, and repeats the lost request. Only some backends do ([`FileBackend::outlives`]); with the
//! others a lost session ends the scenario.
//!
//! Only idempotent requests are repeated. Renaming, deleting, locking, and creating what must not
//! exist are not, since the server may have done them: they end the scenario.

use headcount_load::{Fault, FaultKind, User};

use super::FileSession;
use super::backend::{FileBackend, Opening, Piece, Way};
use super::handle::Acknowledged;
use super::transfer::{too_few, wrong};
use crate::block::verify;
use crate::parts::{Access, How, OplockWish};
use crate::slot::SLOTS;
use crate::step::Step;

/// The time between two attempts to log on: the pause of users who lost their session.
const PAUSE_NS: u64 = 100_000_000;
/// Bytes of each request that reads back what was written.
const CHUNK_BYTES: u64 = 64 << 10;

/// Whether a step can be repeated. Reading, writing and opening repeat single requests instead.
pub(super) const fn is_repeatable(step: &Step) -> bool {
    matches!(
        step,
        Step::Logon { .. }
            | Step::Logoff {}
            | Step::TreeConnect { .. }
            | Step::TreeDisconnect { .. }
            | Step::Echo {}
            | Step::Flush { .. }
            | Step::List(_)
            | Step::Stat { .. }
            | Step::Truncate { .. }
            | Step::SetTimes { .. }
            | Step::Ioctl { .. }
    )
}

impl<B: FileBackend> FileSession<B> {
    /// Reconnects after a fault, with as many attempts as the time limit of the step allows; the
    /// caller then repeats the request. Returns the fault if the backend does not outlive it.
    ///
    /// Open files are reclaimed. A file that the server does not give back is reopened; if the step
    /// was writing it, all bytes that the server acknowledged in this step are first read back and
    /// checked.
    pub(super) async fn survive(
        &mut self,
        fault: Fault,
        written: Option<Acknowledged>,
        user: &User,
    ) -> Result<(), Fault> {
        // A program's files are not tracked here.
        if !self.backend.outlives(&fault) || self.player.is_some() {
            return Err(fault);
        }
        // Boxed: rare and large, it would otherwise enlarge every user's step.
        Box::pin(async {
            loop {
                match self.come_back(written).await {
                    Err(again) if self.backend.outlives(&again) => {
                        user.sleep_until(user.now_ns() + PAUSE_NS).await;
                    }
                    // Handles that were not reached are lost.
                    Err(fault) | Ok(Some(fault)) => {
                        return Err(Fault {
                            ends_session: true,
                            ..fault
                        });
                    }
                    Ok(None) => return Ok(()),
                }
            }
        })
        .await
    }

    /// Logs on again and takes the open files back. Returns the fault of a handle that is lost for
    /// good: another attempt would not bring it back.
    async fn come_back(&mut self, written: Option<Acknowledged>) -> Result<Option<Fault>, Fault> {
        self.backend.come_back().await?;
        for slot in 0..SLOTS as u8 {
            let Some(handle) = self.handles.held(slot) else {
                continue;
            };
            if self.backend.reclaim(&mut handle.file).await? {
                continue;
            }
            if handle.is_bound {
                let path = B::path(&handle.file);
                let sentence = format!(
                    "\"{path}\": the server did not give the handle back after a lost connection, \
                     so its lock or its pending deletion is gone"
                );
                return Ok(Some(Fault::session(FaultKind::Disconnected, sentence)));
            }
            if let Some(written) = written.filter(|written| written.slot == slot) {
                self.read_back(written).await?;
            }
            self.reopen(slot).await?;
        }
        Ok(None)
    }

    async fn reopen(&mut self, slot: u8) -> Result<(), Fault> {
        let handle = self.handles.get(slot)?;
        let opening = Opening {
            how: How::Open, // it exists, and must not be emptied again
            ..handle.opening
        };
        let path = B::path(&handle.file).to_owned();
        let opened = self.backend.reopen(path, opening).await?;
        handle.file = opened.file;
        Ok(())
    }

    /// Checks the acknowledged bytes of a write, through a separate handle: the user's may be
    /// write-only.
    async fn read_back(&mut self, written: Acknowledged) -> Result<(), Fault> {
        let handle = self.handles.get(written.slot)?;
        let path = B::path(&handle.file).to_owned();
        let opening = Opening {
            access: Access::Read,
            how: How::Open,
            oplock: OplockWish::None,
            is_alone: false,
            ..handle.opening
        };
        let place = handle.place;
        let (owner, verifies) = (self.owner(place), self.is_checked(place));
        let reading = self.backend.open(path.clone(), opening).await?.file;
        let mut offset = written.from;
        while offset < written.to {
            let wanted = (written.to - offset).min(CHUNK_BYTES) as u32;
            let bytes = self.backend.room(Way::Read, wanted);
            let check = |at: u64, data: &[u8]| {
                if !verifies {
                    return Ok(());
                }
                verify(data, owner, at).map_err(|(at, what)| wrong(&path, at, &loss_text(&what)))
            };
            let piece = Piece {
                offset,
                bytes,
                is_whole: true,
            };
            let came = self.backend.read(&reading, piece, &check).await?;
            if came != bytes {
                return Err(too_few(&path, offset, came as usize, bytes));
            }
            offset += u64::from(bytes);
        }
        Ok(self.backend.close(reading).await?)
    }
}

/// The sentence about acknowledged bytes that are lost.
fn loss_text(what: &dyn std::fmt::Display) -> String {
    format!("what was acknowledged before the connection was lost is not there: {what}")
}
