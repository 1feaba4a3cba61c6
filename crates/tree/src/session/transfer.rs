//! Reading and writing, request by request.

use std::cell::RefCell;
use std::ops::Range;

use headcount_load::{Fault, FaultKind, Moved, User};

use super::FileSession;
use super::backend::{FileBackend, Make, Piece, Way};
use super::handle::Acknowledged;
use super::meant::needs;
use super::seen::Seen;
use crate::block::{UNIT_BYTES, stamp, verify};
use crate::parts::{From, Transfer};

/// The most that is kept of what is read: captures and checks are for what people write.
const MOST_KEPT_BYTES: usize = 1 << 20;

impl<B: FileBackend> FileSession<B> {
    pub(super) async fn read(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let handle = self.handles.get(transfer.slot)?;
        let end = handle.end_of_file;
        let began = transfer.start(handle.position, end, user);
        let until = transfer
            .bytes
            .map_or(end, |bytes| end.min(began.saturating_add(bytes)));
        user.expect_bytes(until.saturating_sub(began));
        let place = handle.place;
        let (owner, verifies) = (self.owner(place), self.is_checked(place));
        // Its size need not be a multiple of the unit, and may have changed since it was opened;
        // direct I/O reads whole units.
        let is_own = place.is_none();
        let unit = if is_own { UNIT_BYTES } else { 1 };
        let kept = (transfer.looks.needs_body() || user.keeps_notes()).then(RefCell::default);
        let mut offset = began;
        while offset < until {
            let handle = self.handles.get(transfer.slot)?;
            let wanted = (until - offset).min(u64::from(transfer.chunk_bytes)) as u32;
            let bytes = self.backend.room(Way::Read, wanted.next_multiple_of(unit));
            let path = B::path(&handle.file);
            let check = |at: u64, data: &[u8]| {
                if data.len() != bytes as usize && !is_own {
                    return Err(too_few(path, at, data.len(), bytes));
                }
                if let Some(kept) = &kept {
                    keep(kept, data);
                }
                if !verifies {
                    return Ok(());
                }
                verify(data, owner, at).map_err(|(at, what)| wrong(path, at, &what))
            };
            let piece = Piece {
                offset,
                bytes,
                is_whole: !is_own,
            };
            let came = match self.backend.read(&handle.file, piece, &check).await {
                Ok(came) => came,
                Err(refusal) => {
                    self.survive(refusal.fault, None, user).await?;
                    continue;
                }
            };
            if is_own && came == 0 {
                break;
            }
            if came != bytes && !is_own {
                return Err(too_few(path, offset, came as usize, bytes));
            }
            offset += u64::from(came);
            handle.position = offset;
        }
        let read_bytes = offset.saturating_sub(began);
        if !transfer.looks.is_empty() || kept.is_some() {
            let kept = kept.map(RefCell::into_inner).unwrap_or_default();
            self.look_at_text(transfer, read_bytes, kept, user)?;
        }
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }

    /// Applies captures and checks to what was read.
    fn look_at_text(
        &mut self,
        transfer: &Transfer,
        read_bytes: u64,
        kept: Vec<u8>,
        user: &mut User,
    ) -> Result<(), Fault> {
        let path = B::path(&self.handles.get(transfer.slot)?.file);
        if transfer.looks.needs_body() && read_bytes > MOST_KEPT_BYTES as u64 {
            let mebibytes = MOST_KEPT_BYTES >> 20;
            let sentence = format!(
                "\"{path}\": more than {mebibytes} MiB were read, which is too much for captures and \
                 checks; read less with bytes"
            );
            return Err(Fault::step(FaultKind::Refused, sentence));
        }
        let seen = Seen::text(read_bytes, kept);
        seen.note(user, "READ", path);
        transfer.looks.inspect(&seen, user)
    }

    pub(super) async fn write(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        if let Some(text) = &transfer.text {
            let text = text.of(user)?;
            return self.write_text(transfer, &text, user).await;
        }
        let handle = self.handles.get(transfer.slot)?;
        let began = transfer.start(handle.position, handle.end_of_file, user);
        let place = handle.place;
        let until = match (transfer.bytes, place) {
            (Some(bytes), _) => began.saturating_add(bytes),
            (None, Some(place)) => self.tree.data_set.bytes(self.number, place),
            (None, None) => return Err(needs(B::path(&handle.file), "write", "text or bytes")),
        };
        let owner = self.owner(place);
        let make = |at: u64, data: &mut [u8]| stamp(data, owner, at);
        self.put(transfer, began..until, &make, user).await
    }

    /// Writes a text of the workload.
    async fn write_text(
        &mut self,
        transfer: &Transfer,
        text: &str,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let handle = self.handles.get(transfer.slot)?;
        if handle.place.is_some() {
            let path = B::path(&handle.file);
            let sentence = format!(
                "\"{path}\": a file of the data set keeps its contents; write text to a path of \
                 your own"
            );
            return Err(Fault::step(FaultKind::Refused, sentence));
        }
        let began = match transfer.from {
            From::End => handle.end_of_file,
            _ => transfer.start(handle.position, handle.end_of_file, user),
        };
        let make = |at: u64, data: &mut [u8]| {
            let from = (at - began) as usize;
            data.copy_from_slice(&text.as_bytes()[from..from + data.len()]);
        };
        let until = began.saturating_add(text.len() as u64);
        self.put(transfer, began..until, &make, user).await
    }

    /// Writes a range of bytes, which `make` generates.
    async fn put(
        &mut self,
        transfer: &Transfer,
        range: Range<u64>,
        make: &Make<'_>,
        user: &User,
    ) -> Result<Moved, Fault> {
        let Range {
            start: began,
            end: until,
        } = range;
        user.expect_bytes(until.saturating_sub(began));
        let mut offset = began;
        while offset < until {
            let handle = self.handles.get(transfer.slot)?;
            let wanted = (until - offset).min(u64::from(transfer.chunk_bytes)) as u32;
            let bytes = self.backend.room(Way::Write, wanted);
            let file = &handle.file;
            if let Err(refusal) = self.backend.write(file, offset, bytes, make).await {
                let written = Acknowledged {
                    slot: transfer.slot,
                    from: began,
                    to: offset,
                };
                self.survive(refusal.fault, Some(written), user).await?;
                continue;
            }
            offset += u64::from(bytes);
            handle.position = offset;
            handle.end_of_file = handle.end_of_file.max(offset);
        }
        Ok(Moved {
            read_bytes: 0,
            written_bytes: offset.saturating_sub(began),
        })
    }
}

/// Keeps what was read, up to the limit.
fn keep(kept: &RefCell<Vec<u8>>, data: &[u8]) {
    let mut kept = kept.borrow_mut();
    let room = MOST_KEPT_BYTES.saturating_sub(kept.len());
    kept.extend_from_slice(&data[..data.len().min(room)]);
}

pub(super) fn wrong(path: &str, at: u64, what: &dyn std::fmt::Display) -> Fault {
    let sentence = format!("wrong data in \"{path}\" at offset {at}: {what}");
    Fault::step(FaultKind::WrongData, sentence)
}

pub(super) fn too_few(path: &str, at: u64, came: usize, wanted: u32) -> Fault {
    wrong(path, at, &format!("{came} bytes came instead of {wanted}"))
}
