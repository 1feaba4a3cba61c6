//! READ, WRITE and FLUSH.

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_tree::block::{stamp, verify};
use headcount_tree::parts::{Share, Transfer};

use super::open::Called;
use super::session::{Handle, SmbSession, other_form, refuse};
use crate::connection::Ask;
use crate::wire::header::Command;
use crate::wire::status::Status;
use crate::wire::transfer::{encode_flush, encode_read, encode_write, parse_read, parse_write};

impl SmbSession {
    pub(super) async fn read(
        &mut self,
        transfer: &Transfer,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut handle = self.handle(transfer.slot)?;
        let end = handle.end_of_file;
        let mut offset = transfer.start(handle.position, handle.end_of_file, user);
        let until = transfer
            .bytes
            .map_or(end, |bytes| end.min(offset.saturating_add(bytes)));
        user.expect_bytes(until.saturating_sub(offset));
        let began = offset;
        while offset < until {
            let limit = self
                .connection
                .state
                .agreed
                .max_read
                .min(transfer.chunk_bytes);
            let affordable = self.connection.affordable_bytes(limit);
            let chunk = (until - offset).min(u64::from(affordable)) as u32;
            self.read_chunk(&handle, offset, chunk).await?;
            offset += u64::from(chunk);
            handle.position = offset;
            self.handles[usize::from(transfer.slot)] = Some(handle);
        }
        Ok(Moved {
            read_bytes: offset.saturating_sub(began),
            written_bytes: 0,
        })
    }

    pub(super) async fn read_chunk(
        &mut self,
        handle: &Handle,
        offset: u64,
        bytes: u32,
    ) -> Result<(), Fault> {
        let tree = self.tree(Share::Data).await?;
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Read, tree)
        };
        let shared = &self.shared;
        let owner = shared.data_set.owner(self.number, handle.place);
        let called = Called::new(shared, self.number, handle);
        let wrong = |at: u64, what: &dyn std::fmt::Display| {
            let sentence = format!("wrong data in \"{called}\" at offset {at}: {what}");
            Err(Fault::step(FaultKind::WrongData, sentence))
        };
        let check = |data: &[u8]| {
            if data.len() != bytes as usize {
                let length = data.len();
                return wrong(offset, &format!("{length} bytes came instead of {bytes}"));
            }
            if !shared.verify {
                return Ok(());
            }
            verify(data, owner, offset).or_else(|(at, what)| wrong(at, &what))
        };
        self.connection
            .exchange(
                ask,
                |out| encode_read(out, &handle.file, offset, bytes),
                |head, body| {
                    if head.status == Status::END_OF_FILE {
                        return check(&[]);
                    }
                    refuse(head, || format!("READ \"{called}\" at offset {offset}"))?;
                    check(parse_read(body).ok_or_else(|| other_form(Command::Read))?)
                },
            )
            .await
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
            let limit = self
                .connection
                .state
                .agreed
                .max_write
                .min(transfer.chunk_bytes);
            let affordable = self.connection.affordable_bytes(limit);
            let chunk = (until - offset).min(u64::from(affordable)) as u32;
            self.write_chunk(&handle, offset, chunk).await?;
            offset += u64::from(chunk);
            handle.position = offset;
            handle.end_of_file = handle.end_of_file.max(offset);
            self.handles[usize::from(transfer.slot)] = Some(handle);
        }
        Ok(Moved {
            written_bytes: offset.saturating_sub(began),
            read_bytes: 0,
        })
    }

    pub(super) async fn write_chunk(
        &mut self,
        handle: &Handle,
        offset: u64,
        bytes: u32,
    ) -> Result<(), Fault> {
        let tree = self.tree(Share::Data).await?;
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Write, tree)
        };
        let shared = &self.shared;
        let owner = shared.data_set.owner(self.number, handle.place);
        let called = Called::new(shared, self.number, handle);
        let what = || format!("WRITE \"{called}\" at offset {offset}");
        self.connection
            .exchange(
                ask,
                |out| {
                    encode_write(out, &handle.file, offset, bytes, |data| {
                        stamp(data, owner, offset);
                    });
                },
                |head, body| {
                    refuse(head, what)?;
                    match parse_write(body).ok_or_else(|| other_form(Command::Write))? {
                        written if written == bytes => Ok(()),
                        written => {
                            let what = what();
                            let sentence = format!("{what}: only {written} of {bytes} bytes");
                            Err(Fault::step(FaultKind::WrongData, sentence))
                        }
                    }
                },
            )
            .await
    }

    pub(super) async fn flush(&mut self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        let ask = Ask::new(Command::Flush, self.tree(Share::Data).await?);
        let called = Called::new(&self.shared, self.number, &handle);
        self.connection
            .exchange(
                ask,
                |out| encode_flush(out, &handle.file),
                |head, _| refuse(head, || format!("FLUSH \"{called}\"")),
            )
            .await
    }
}
