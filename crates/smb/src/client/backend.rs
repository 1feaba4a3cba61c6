//! What users do with files, as SMB requests.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};
use headcount_script::Entry;
use headcount_tree::lock::Lock;
use headcount_tree::parts::{Control, Share};
use headcount_tree::query::{Known, Query};
use headcount_tree::session::backend::{
    Check, FileBackend, Make, Opened, Opening, Piece, Refusal, Way, check_count,
};

use super::answer::{in_form, other_form, refuse, refused};
use super::names::{ANSWER_BYTES, Middle};
use super::open_file::OpenFile;
use super::session::SmbSession;
use crate::connection::Ask;
use crate::wire::create::{DIRECTORY, Disposition, Request, access, encode_close};
use crate::wire::header::Command;
use crate::wire::info::{Change, QueryInfo};
use crate::wire::status::Status;
use crate::wire::transfer::{encode_flush, encode_read, encode_write, parse_read, parse_write};
use crate::wire::{NO_FILE, directory, ioctl, lock};

impl SmbSession {
    /// Sends a request about an open file of whose response only status and form matter.
    async fn about(
        &mut self,
        command: Command,
        file: &OpenFile,
        encode: impl FnOnce(&mut Vec<u8>),
        has_form: impl FnOnce(&[u8]) -> bool,
    ) -> Result<(), Refusal> {
        let ask = Ask::new(command, self.tree(Share::Data).await?);
        let answered = self.connection.exchange(ask, encode, |head, body| {
            let what = || format!("{} \"{}\"", command.name(), file.path);
            Ok(refused(head, what).and_then(|()| in_form(command, has_form(body))))
        });
        answered.await?
    }

    /// Changes an open file; messages call the change `what`.
    async fn set(
        &mut self,
        file: &OpenFile,
        what: &str,
        change: Change<'_>,
    ) -> Result<(), Refusal> {
        let ask = Ask::new(Command::SetInfo, self.tree(Share::Data).await?);
        let answered = self.connection.exchange(
            ask,
            |out| change.encode(out, &file.id),
            |head, _| {
                let what = || format!("SET_INFO ({what}) \"{}\"", file.path);
                Ok(refused(head, what))
            },
        );
        answered.await?
    }

    /// Forgets the file's oplock, so that a break of it is not acknowledged.
    fn forget_oplock(&mut self, file: &OpenFile) {
        let kept = &mut self.connection.state.kept;
        kept.retain(|kept| *kept != file.id);
    }
}

impl FileBackend for SmbSession {
    type File = OpenFile;

    fn path(file: &OpenFile) -> &str {
        &file.path
    }

    async fn log_on(&mut self, reconnect: bool) -> Result<(), Fault> {
        self.log_on_again(reconnect).await
    }

    async fn log_off(&mut self) -> Result<(), Fault> {
        self.logoff().await
    }

    async fn connect(&mut self, share: Share) -> Result<(), Fault> {
        self.disconnect_tree(share).await?;
        self.tree(share).await.map(drop)
    }

    async fn disconnect(&mut self, share: Share) -> Result<(), Fault> {
        self.disconnect_tree(share).await
    }

    async fn echo(&mut self) -> Result<(), Fault> {
        self.say(Command::Echo, 0).await
    }

    /// Not a failure if the server does not support the control: real clients of such servers get
    /// the same answer. Servers use several codes for it.
    async fn control(&mut self, control: Control, file: Option<&OpenFile>) -> Result<(), Fault> {
        let mut input = Vec::new();
        let (share, code) = match control {
            Control::DfsReferral => {
                let share = self.shared.share_of(self.number);
                ioctl::encode_referral(&mut input, &format!("\\{}\\{share}", self.shared.host));
                (Share::Ipc, ioctl::DFS_GET_REFERRALS)
            }
            Control::NetworkInterfaces => (Share::Ipc, ioctl::QUERY_NETWORK_INTERFACE_INFO),
            Control::ObjectId => (Share::Data, ioctl::CREATE_OR_GET_OBJECT_ID),
        };
        let id = file.map_or(NO_FILE, |file| file.id);
        let ask = Ask {
            bytes: ANSWER_BYTES,
            ..Ask::new(Command::Ioctl, self.tree(share).await?)
        };
        self.connection
            .exchange(
                ask,
                |out| ioctl::encode(out, code, &id, ANSWER_BYTES, &input),
                |head, body| match head.status {
                    Status::NOT_FOUND | Status::BUFFER_OVERFLOW => Ok(()),
                    status if status.is_unsupported() => Ok(()),
                    _ => {
                        refuse(head, || format!("IOCTL {code:#010x}"))?;
                        ioctl::parse(body)
                            .map(drop)
                            .ok_or_else(|| other_form(Command::Ioctl))
                    }
                },
            )
            .await
    }

    async fn open(&mut self, path: String, opening: Opening) -> Result<Opened<OpenFile>, Refusal> {
        self.open_durably(path, opening, false).await
    }

    fn outlives(&self, fault: &Fault) -> bool {
        self.outlives_fault(fault)
    }

    async fn come_back(&mut self) -> Result<(), Fault> {
        self.return_to_server().await
    }

    async fn reclaim(&mut self, file: &mut OpenFile) -> Result<bool, Fault> {
        self.reclaim_handle(file).await
    }

    async fn reopen(
        &mut self,
        path: String,
        opening: Opening,
    ) -> Result<Opened<OpenFile>, Refusal> {
        self.open_durably(path, opening, true).await
    }

    async fn exists(&mut self, path: &str) -> Result<bool, Fault> {
        let request = Request::plain(path, access::READ_ATTRIBUTES, Disposition::Open);
        let Some(opened) = self.create_if_there(&request).await? else {
            return Ok(false);
        };
        self.close_id(&opened.file).await?;
        Ok(true)
    }

    async fn query_path(&mut self, path: &str, query: Query) -> Result<Known, Refusal> {
        let security = if query == Query::Security {
            access::READ_SECURITY
        } else {
            0
        };
        let rights = access::READ_ATTRIBUTES | security;
        let request = Request::plain(path, rights, Disposition::Open);
        let mut known = Known::default();
        let see = |body: &[u8]| known = query.parse(body).map_or(known, |said| query.known(said));
        self.on_name_with(&request, Some(Middle::Query(query)), see)
            .await?;
        Ok(known)
    }

    async fn find(&mut self, folder: &str, mask: &str) -> Result<(), Refusal> {
        let mut request = Request::plain(folder, access::READ, Disposition::Open);
        request.options = DIRECTORY;
        self.on_name(&request, Some(Middle::List(mask))).await
    }

    async fn unlink(&mut self, path: &str) -> Result<(), Refusal> {
        self.remove_file(path).await
    }

    async fn rename(&mut self, path: &str, to: &str) -> Result<(), Refusal> {
        let rights = access::DELETE | access::READ_ATTRIBUTES;
        let request = Request::plain(path, rights, Disposition::Open);
        let replace = false;
        let change = Change::Rename { to, replace };
        self.on_name(&request, Some(Middle::Change(change))).await
    }

    async fn make_folder(&mut self, path: &str) -> Result<(), Refusal> {
        let mut request = Request::plain(path, access::READ_ATTRIBUTES, Disposition::Create);
        request.options = DIRECTORY;
        self.on_name(&request, None).await
    }

    /// Deletes with SET_INFO, not with delete-on-close: with the latter, some servers do not report
    /// that the folder is not empty.
    async fn remove_folder(&mut self, path: &str) -> Result<(), Refusal> {
        let mut request = Request::plain(path, access::DELETE, Disposition::Open);
        request.options = DIRECTORY;
        let middle = Middle::Change(Change::Delete);
        self.on_name(&request, Some(middle)).await
    }

    async fn remove_tree(&mut self, path: &str) -> Result<(), Refusal> {
        Box::pin(self.remove_below(path.to_owned(), 0)).await
    }

    async fn close(&mut self, file: OpenFile) -> Result<(), Refusal> {
        self.forget_oplock(&file);
        let encode = |out: &mut Vec<u8>| encode_close(out, &file.id);
        self.about(Command::Close, &file, encode, |_| true).await
    }

    /// Sends nothing: the server closes the file with the connection to its share.
    async fn release(&mut self, file: OpenFile) -> Result<(), Fault> {
        self.forget_oplock(&file);
        Ok(())
    }

    fn room(&self, way: Way, wanted: u32) -> u32 {
        let agreed = &self.connection.state.agreed;
        let most = match way {
            Way::Read => agreed.max_read,
            Way::Write => agreed.max_write,
        };
        self.connection.affordable_bytes(most.min(wanted))
    }

    async fn read(
        &mut self,
        file: &OpenFile,
        piece: Piece,
        check: &Check<'_>,
    ) -> Result<u32, Refusal> {
        let Piece { offset, bytes, .. } = piece;
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Read, self.tree(Share::Data).await?)
        };
        let answered = self.connection.exchange(
            ask,
            |out| encode_read(out, &file.id, offset, bytes),
            |head, body| {
                if head.status == Status::END_OF_FILE {
                    return Ok(Ok(0));
                }
                let what = || format!("READ \"{}\" at offset {offset}", file.path);
                if let Err(refusal) = refused(head, what) {
                    return Ok(Err(refusal));
                }
                let data = parse_read(body).ok_or_else(|| other_form(Command::Read))?;
                check(offset, data)?;
                if data.len() > bytes as usize {
                    return Err(other_form(Command::Read));
                }
                Ok(Ok(data.len() as u32))
            },
        );
        answered.await?
    }

    async fn write(
        &mut self,
        file: &OpenFile,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> Result<(), Refusal> {
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Write, self.tree(Share::Data).await?)
        };
        let what = || format!("WRITE \"{}\" at offset {offset}", file.path);
        let answered = self.connection.exchange(
            ask,
            |out| encode_write(out, &file.id, offset, bytes, |data| make(offset, data)),
            |head, body| {
                if let Err(refusal) = refused(head, what) {
                    return Ok(Err(refusal));
                }
                match parse_write(body).ok_or_else(|| other_form(Command::Write))? {
                    written if written == bytes => Ok(Ok(())),
                    written if written > bytes => Err(other_form(Command::Write)),
                    // Some servers say no more of a full disk.
                    written => {
                        let what = what();
                        let sentence = format!(
                            "{what}: the server wrote only {written} of {bytes} bytes: its disk \
                             may be full"
                        );
                        Err(Fault::step(FaultKind::Refused, sentence))
                    }
                }
            },
        );
        answered.await?
    }

    async fn flush(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| encode_flush(out, &file.id);
        self.about(Command::Flush, file, encode, |_| true).await
    }

    async fn list(&mut self, file: &mut OpenFile, pattern: &str, once: bool) -> Result<u64, Fault> {
        let has_form = |entries: &[u8]| Ok(directory::count(entries).is_some());
        let named = (&file.id, file.path.as_str());
        self.list_each(named, pattern, once, has_form).await
    }

    async fn entries(
        &mut self,
        file: &mut OpenFile,
        pattern: &str,
        once: bool,
        _is_whole: bool,
    ) -> Result<(u64, Vec<Entry>), Fault> {
        let mut found = Vec::new();
        let path = file.path.as_str();
        let read = |entries: &[u8]| {
            let is_read = directory::read(entries, &mut found).is_some();
            check_count(&found, path).map(|()| is_read)
        };
        let read_bytes = self
            .list_each((&file.id, path), pattern, once, read)
            .await?;
        Ok((read_bytes, found))
    }

    async fn query(&mut self, file: &OpenFile, query: Query) -> Result<Known, Refusal> {
        let encode = |out: &mut Vec<u8>| query.encode(out, &file.id, ANSWER_BYTES);
        let mut known = Known::default();
        let has_form = |body: &[u8]| {
            let said = query.parse(body);
            known = said.map_or(known, |said| query.known(said));
            said.is_some()
        };
        self.about(Command::QueryInfo, file, encode, has_form)
            .await?;
        Ok(known)
    }

    async fn rename_file(
        &mut self,
        file: &mut OpenFile,
        to: String,
        replace: bool,
    ) -> Result<(), Fault> {
        let change = Change::Rename { to: &to, replace };
        self.set(file, "rename", change).await?;
        file.path = to;
        Ok(())
    }

    async fn delete(&mut self, file: &mut OpenFile) -> Result<(), Fault> {
        Ok(self.set(file, "delete", Change::Delete).await?)
    }

    async fn truncate(&mut self, file: &OpenFile, bytes: u64) -> Result<(), Fault> {
        let change = Change::EndOfFile(bytes);
        Ok(self.set(file, "end of file", change).await?)
    }

    async fn set_times(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        let change = Change::LastWrite(self.connection.state.agreed.filetime);
        self.set(file, "times", change).await
    }

    async fn lock(
        &mut self,
        file: &OpenFile,
        lock: Lock,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Refusal> {
        let encode = |out: &mut Vec<u8>| lock::encode(out, &file.id, lock, offset, bytes);
        self.about(Command::Lock, file, encode, |_| true).await
    }
}
