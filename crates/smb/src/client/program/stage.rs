//! Each operation of a program as requests of SMB.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};
use headcount_tree::parts::Share;
use headcount_tree::program::Path;
use headcount_tree::program::operation::{Creation, Wanted};
use headcount_tree::program::stage::{Check, Make, Refusal, Stage};
use headcount_tree::query::Query;

use super::{Middle, plain, refused};
use crate::client::metadata::ANSWER_BYTES;
use crate::client::open::disposition;
use crate::client::session::{SmbSession, other_form};
use crate::connection::Ask;
use crate::wire::FileId;
use crate::wire::create::{DIRECTORY, Disposition, NOT_DIRECTORY, Opened, access, encode_close};
use crate::wire::header::Command;
use crate::wire::info::{Change, QueryInfo};
use crate::wire::lock::Lock;
use crate::wire::status::Status;
use crate::wire::transfer::{encode_flush, encode_read, encode_write, parse_read, parse_write};

impl Stage for SmbSession {
    type File = FileId;

    async fn open(&mut self, path: &Path, creation: Creation) -> Result<FileId, Refusal> {
        let path = self.below_share(path);
        let write = if creation.is_read_only || creation.kind == Wanted::Folder {
            0
        } else {
            access::WRITE
        };
        let mut request = plain(&path, access::READ | write, disposition(creation.how));
        request.options = match creation.kind {
            Wanted::File => NOT_DIRECTORY,
            Wanted::Folder => DIRECTORY,
            Wanted::Either => 0,
        };
        let ask = Ask::new(Command::Create, self.tree(Share::Data).await?);
        let answered = self.connection.exchange(
            ask,
            |out| request.encode(out),
            |head, body| {
                Ok(match refused(head, || format!("CREATE \"{path}\"")) {
                    Ok(()) => Ok(Opened::parse(body).ok_or_else(|| other_form(Command::Create))?),
                    Err(refusal) => Err(refusal),
                })
            },
        );
        answered.await?.map(|opened| opened.file)
    }

    async fn close(&mut self, file: FileId) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| encode_close(out, &file);
        self.about(Command::Close, encode, |_| true).await
    }

    async fn read(
        &mut self,
        file: &FileId,
        offset: u64,
        bytes: u32,
        check: &Check<'_>,
    ) -> Result<u32, Refusal> {
        let mut done = 0;
        loop {
            let limit = self.connection.state.agreed.max_read;
            let chunk = (bytes - done).min(self.connection.affordable_bytes(limit));
            let at = offset + u64::from(done);
            let ask = Ask {
                bytes: chunk,
                ..Ask::new(Command::Read, self.tree(Share::Data).await?)
            };
            let answered = self.connection.exchange(
                ask,
                |out| encode_read(out, file, at, chunk),
                |head, body| {
                    if head.status == Status::END_OF_FILE {
                        return Ok(Ok(0));
                    }
                    if let Err(refusal) = refused(head, || format!("READ at offset {at}")) {
                        return Ok(Err(refusal));
                    }
                    let data = parse_read(body)
                        .filter(|data| data.len() <= chunk as usize)
                        .ok_or_else(|| other_form(Command::Read))?;
                    check(at, data)?;
                    Ok(Ok(data.len() as u32))
                },
            );
            let came = answered.await??;
            done += came;
            if came < chunk || done == bytes {
                return Ok(done);
            }
        }
    }

    async fn write(
        &mut self,
        file: &FileId,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> Result<(), Refusal> {
        let mut done = 0;
        loop {
            let limit = self.connection.state.agreed.max_write;
            let chunk = (bytes - done).min(self.connection.affordable_bytes(limit));
            let at = offset + u64::from(done);
            let ask = Ask {
                bytes: chunk,
                ..Ask::new(Command::Write, self.tree(Share::Data).await?)
            };
            let answered = self.connection.exchange(
                ask,
                |out| encode_write(out, file, at, chunk, |data| make(at, data)),
                |head, body| {
                    if let Err(refusal) = refused(head, || format!("WRITE at offset {at}")) {
                        return Ok(Err(refusal));
                    }
                    match parse_write(body).ok_or_else(|| other_form(Command::Write))? {
                        written if written == chunk => Ok(Ok(())),
                        written => {
                            let sentence =
                                format!("WRITE at offset {at}: only {written} of {chunk} bytes");
                            Err(Fault::step(FaultKind::WrongData, sentence))
                        }
                    }
                },
            );
            answered.await??;
            done += chunk;
            if done == bytes {
                return Ok(());
            }
        }
    }

    async fn flush(&mut self, file: &FileId) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| encode_flush(out, file);
        self.about(Command::Flush, encode, |_| true).await
    }

    async fn query_path(&mut self, path: &Path, query: Query) -> Result<(), Refusal> {
        let path = self.below_share(path);
        let request = plain(&path, access::READ_ATTRIBUTES, Disposition::Open);
        self.on_name(&request, Some(Middle::Query(query))).await
    }

    async fn query_file(&mut self, file: &FileId, query: Query) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| query.encode(out, file, ANSWER_BYTES);
        let has_form = |body: &[u8]| query.parse(body).is_some();
        self.about(Command::QueryInfo, encode, has_form).await
    }

    async fn query_fs(&mut self, query: Query) -> Result<(), Refusal> {
        let home = self.shared.folder.text(self.number);
        let request = plain(&home, access::READ_ATTRIBUTES, Disposition::Open);
        self.on_name(&request, Some(Middle::Query(query))).await
    }

    async fn set_file(&mut self, file: &FileId) -> Result<(), Refusal> {
        let change = Change::LastWrite(self.connection.state.agreed.filetime);
        let encode = |out: &mut Vec<u8>| change.encode(out, file);
        self.about(Command::SetInfo, encode, |_| true).await
    }

    async fn find(&mut self, folder: &Path, mask: &str) -> Result<(), Refusal> {
        let folder = self.below_share(folder);
        let mut request = plain(&folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        self.on_name(&request, Some(Middle::List(mask))).await
    }

    async fn unlink(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.below_share(path);
        self.remove_file(&path).await
    }

    async fn rename(&mut self, path: &Path, to: &Path) -> Result<(), Refusal> {
        let (path, to) = (self.below_share(path), self.below_share(to));
        let rights = access::DELETE | access::READ_ATTRIBUTES;
        let request = plain(&path, rights, Disposition::Open);
        let change = Change::Rename {
            to: &to,
            replace: false,
        };
        self.on_name(&request, Some(Middle::Change(change))).await
    }

    async fn mkdir(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.below_share(path);
        let mut request = plain(&path, access::READ_ATTRIBUTES, Disposition::Create);
        request.options = DIRECTORY;
        self.on_name(&request, None).await
    }

    async fn rmdir(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.below_share(path);
        self.remove_folder(&path).await
    }

    async fn delete_tree(&mut self, path: &Path) -> Result<(), Refusal> {
        let path = self.below_share(path);
        Box::pin(self.delete_below(path, 0)).await
    }

    async fn lock(&mut self, file: &FileId, offset: u64, bytes: u64) -> Result<(), Refusal> {
        self.lock_bytes(file, Lock::Exclusive, offset, bytes).await
    }

    async fn unlock(&mut self, file: &FileId, offset: u64, bytes: u64) -> Result<(), Refusal> {
        self.lock_bytes(file, Lock::Unlock, offset, bytes).await
    }
}
