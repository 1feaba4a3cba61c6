//! Reading, writing, and bringing it onto the disk.

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_ring::{Buffer, Target};
use headcount_tree::block::{stamp, verify};
use headcount_tree::parts::Transfer;

use super::session::{FilesSession, Handle};
use crate::calls::{Call, Failed};
use crate::errno;
use crate::io::{Way, buffers};

impl FilesSession {
    pub(super) async fn read(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut handle = self.handle(transfer.slot)?;
        let end = handle.end_of_file;
        let began = transfer.start(handle.position, handle.end_of_file, user);
        let until = transfer
            .bytes
            .map_or(end, |bytes| end.min(began.saturating_add(bytes)));
        user.expect_bytes(until.saturating_sub(began));
        let mut offset = began;
        while offset < until {
            let chunk = (until - offset).min(u64::from(transfer.chunk_bytes)) as usize;
            self.read_chunk(&handle, offset, chunk).await?;
            offset += chunk as u64;
            handle.position = offset;
            self.keep(transfer.slot, &handle);
        }
        Ok(Moved {
            read_bytes: offset.saturating_sub(began),
            written_bytes: 0,
        })
    }

    async fn read_chunk(&self, handle: &Handle, offset: u64, bytes: usize) -> Result<(), Fault> {
        let mut buffer = buffers::take(bytes)?;
        let mut came;
        let mut tries = 0;
        // A read of a file may be cut short for no reason but the kernel's. At its end it is so
        // again.
        loop {
            (came, buffer) = self
                .transfer(Way::Read, handle.named(), offset, buffer, bytes)
                .await?;
            tries += 1;
            if came == 0 || came == bytes || tries == 2 {
                break;
            }
        }
        let judged = self.judge(handle, offset, bytes, &buffer[..came]);
        buffers::give(buffer);
        judged
    }

    fn judge(&self, handle: &Handle, offset: u64, bytes: usize, data: &[u8]) -> Result<(), Fault> {
        let wrong = |at: u64, what: &dyn std::fmt::Display| {
            let path = &handle.path;
            let sentence = format!("wrong data in \"{path}\" at offset {at}: {what}");
            Err(Fault::step(FaultKind::WrongData, sentence))
        };
        if data.len() != bytes {
            let length = data.len();
            return wrong(offset, &format!("{length} bytes came instead of {bytes}"));
        }
        if !self.shared.verify {
            return Ok(());
        }
        let owner = self.shared.data_set.owner(self.number, handle.place);
        verify(data, owner, offset).or_else(|(at, what)| wrong(at, &what))
    }

    pub(super) async fn write(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut handle = self.handle(transfer.slot)?;
        let began = transfer.start(handle.position, handle.end_of_file, user);
        let until = match transfer.bytes {
            Some(bytes) => began.saturating_add(bytes),
            None => self.shared.data_set.bytes(self.number, handle.place),
        };
        user.expect_bytes(until.saturating_sub(began));
        let mut offset = began;
        while offset < until {
            let chunk = (until - offset).min(u64::from(transfer.chunk_bytes)) as usize;
            self.write_chunk(&handle, offset, chunk).await?;
            offset += chunk as u64;
            handle.position = offset;
            handle.end_of_file = handle.end_of_file.max(offset);
            self.keep(transfer.slot, &handle);
        }
        Ok(Moved {
            written_bytes: offset.saturating_sub(began),
            read_bytes: 0,
        })
    }

    async fn write_chunk(&self, handle: &Handle, offset: u64, bytes: usize) -> Result<(), Fault> {
        let mut buffer = buffers::take(bytes)?;
        let owner = self.shared.data_set.owner(self.number, handle.place);
        stamp(&mut buffer[..bytes], owner, offset);
        self.write_all(handle.named(), offset, buffer, bytes).await
    }

    /// Writes the first `bytes` of a buffer, and gives it back for others.
    pub(super) async fn write_all(
        &self,
        named: (&Target, &str),
        offset: u64,
        mut buffer: Buffer,
        bytes: usize,
    ) -> Result<(), Fault> {
        let mut written = 0;
        // A disk that is almost full takes a part first, and fails what is left.
        while written < bytes {
            let (at, left) = (offset + written as u64, bytes - written);
            let (took, back) = self.transfer(Way::Write, named, at, buffer, left).await?;
            buffer = back;
            if took == 0 {
                let path = named.1;
                let sentence = format!("pwrite \"{path}\" at offset {at}: nothing was taken");
                return Err(Fault::step(FaultKind::Refused, sentence));
            }
            written += took;
            buffer.copy_within(took..left, 0);
        }
        buffers::give(buffer);
        Ok(())
    }

    /// One read or write; returns the bytes that moved.
    pub(super) async fn transfer(
        &self,
        way: Way,
        (file, path): (&Target, &str),
        offset: u64,
        buffer: Buffer,
        bytes: usize,
    ) -> Result<(usize, Buffer), Fault> {
        let call = match way {
            Way::Read => Call::Read,
            Way::Write => Call::Write,
        };
        self.requests.sent(call as usize);
        let io = &self.shared.io;
        let (moved, buffer) = io.transfer(way, file, offset, buffer, bytes).await?;
        match moved {
            Ok(moved) => Ok((moved, buffer)),
            Err(errno) => Err(errno::fault(Failed { call, errno }, path)),
        }
    }

    pub(super) async fn flush(&self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        self.sync(handle.named()).await
    }

    /// Brings a file onto the disk.
    pub(super) async fn sync(&self, (file, path): (&Target, &str)) -> Result<(), Fault> {
        let call = Call::Sync;
        self.requests.sent(call as usize);
        let synced = self.shared.io.sync(file).await?;
        synced.map_err(|errno| errno::fault(Failed { call, errno }, path))
    }

    pub(super) fn keep(&mut self, slot: u8, handle: &Handle) {
        self.handles[usize::from(slot)] = Some(handle.clone());
    }
}
