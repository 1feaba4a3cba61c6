//! Reading and writing, request by request.

use headcount_load::{Fault, FaultKind, Moved, User};

use super::FileSession;
use super::backend::{FileBackend, Piece, Way};
use super::handle::Acknowledged;
use crate::block::{stamp, verify};
use crate::parts::Transfer;

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
        let owner = self.tree.data_set.owner(self.number, handle.place);
        let verifies = self.tree.verify;
        let mut offset = began;
        while offset < until {
            let handle = self.handles.get(transfer.slot)?;
            let wanted = (until - offset).min(u64::from(transfer.chunk_bytes)) as u32;
            let bytes = self.backend.room(Way::Read, wanted);
            let path = B::path(&handle.file);
            let check = |at: u64, data: &[u8]| {
                if data.len() != bytes as usize {
                    return Err(too_few(path, at, data.len(), bytes));
                }
                if !verifies {
                    return Ok(());
                }
                verify(data, owner, at).map_err(|(at, what)| wrong(path, at, &what))
            };
            let piece = Piece {
                offset,
                bytes,
                is_whole: true,
            };
            let came = match self.backend.read(&handle.file, piece, &check).await {
                Ok(came) => came,
                Err(refusal) => {
                    self.survive(refusal.fault, None, user).await?;
                    continue;
                }
            };
            if came != bytes {
                return Err(too_few(path, offset, came as usize, bytes));
            }
            offset += u64::from(bytes);
            handle.position = offset;
        }
        Ok(Moved {
            read_bytes: offset.saturating_sub(began),
            written_bytes: 0,
        })
    }

    pub(super) async fn write(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let handle = self.handles.get(transfer.slot)?;
        let began = transfer.start(handle.position, handle.end_of_file, user);
        let until = match transfer.bytes {
            Some(bytes) => began.saturating_add(bytes),
            None => self.tree.data_set.bytes(self.number, handle.place),
        };
        user.expect_bytes(until.saturating_sub(began));
        let owner = self.tree.data_set.owner(self.number, handle.place);
        let make = |at: u64, data: &mut [u8]| stamp(data, owner, at);
        let mut offset = began;
        while offset < until {
            let handle = self.handles.get(transfer.slot)?;
            let wanted = (until - offset).min(u64::from(transfer.chunk_bytes)) as u32;
            let bytes = self.backend.room(Way::Write, wanted);
            let file = &handle.file;
            if let Err(refusal) = self.backend.write(file, offset, bytes, &make).await {
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

pub(super) fn wrong(path: &str, at: u64, what: &dyn std::fmt::Display) -> Fault {
    let sentence = format!("wrong data in \"{path}\" at offset {at}: {what}");
    Fault::step(FaultKind::WrongData, sentence)
}

pub(super) fn too_few(path: &str, at: u64, came: usize, wanted: u32) -> Fault {
    wrong(path, at, &format!("{came} bytes came instead of {wanted}"))
}
