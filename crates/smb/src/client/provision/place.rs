//! Makes the data set over SMB, one file or folder at a time, so that a caller can show progress,
//! stop and resume: files that already have the right size stay.

use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved};
use headcount_tree::block::{Owner, stamp, verify};
use headcount_tree::data_set::Place;
use headcount_tree::parts::{Access, How, OplockWish};
use headcount_tree::program::operation::Wanted;
use headcount_tree::session::backend::{FileBackend, Opened, Opening, Piece, Way};

use crate::client::open_file::OpenFile;
use crate::client::session::SmbSession;
use crate::wire::create::{DIRECTORY, Disposition, Request, access};

/// Bytes of each write, as when Windows clients copy files.
const CHUNK_BYTES: u32 = 1 << 20;

impl SmbSession {
    /// Makes a file, or a folder with its parents, of this user's data set. A file needs its
    /// folder: [`headcount_tree::data_set::DataSet::prepared`] returns places in a suitable order.
    /// A file of the right size stays as it is, unless it is read through and found damaged.
    pub async fn prepare(&mut self, place: Place, read_through: bool) -> Result<Moved, Fault> {
        let path = self.shared.tree.path(self.number, place);
        if place.group.is_folder() {
            self.make_folders(&path).await?;
            return Ok(Moved::default());
        }
        let opening = Opening {
            kind: Wanted::File,
            access: Access::ReadWrite,
            how: How::OpenOrCreate,
            oplock: OplockWish::None,
            is_alone: false,
        };
        let Opened { file, end_of_file } = self.open(path, opening).await?;
        let tree = Arc::clone(&self.shared.tree);
        let owner = tree.data_set.owner(self.number, place);
        let bytes = tree.data_set.bytes(self.number, place);
        let is_whole = end_of_file == bytes
            && (!read_through || self.is_whole(&file, bytes, owner, tree.verify).await?);
        let mut offset = if is_whole { bytes } else { 0 };
        let began = offset;
        let make = |at: u64, data: &mut [u8]| stamp(data, owner, at);
        while offset < bytes {
            let wanted = (bytes - offset).min(u64::from(CHUNK_BYTES)) as u32;
            let some = self.room(Way::Write, wanted);
            self.write(&file, offset, some, &make).await?;
            offset += u64::from(some);
        }
        if end_of_file > bytes {
            self.truncate(&file, bytes).await?;
        }
        self.close(file).await?;
        Ok(Moved {
            written_bytes: bytes - began,
            read_bytes: 0,
        })
    }

    /// Whether all `bytes` of a file can be read and, if `verifies`, are right.
    async fn is_whole(
        &mut self,
        file: &OpenFile,
        bytes: u64,
        owner: Owner,
        verifies: bool,
    ) -> Result<bool, Fault> {
        let check = |at: u64, data: &[u8]| {
            if !verifies {
                return Ok(());
            }
            let wrong = |(_, what)| Fault::step(FaultKind::WrongData, format!("{what}"));
            verify(data, owner, at).map_err(wrong)
        };
        let mut offset = 0;
        while offset < bytes {
            let wanted = (bytes - offset).min(u64::from(CHUNK_BYTES)) as u32;
            let piece = Piece {
                offset,
                bytes: self.room(Way::Read, wanted),
                is_whole: true,
            };
            match self.read(file, piece, &check).await {
                Ok(came) if came == piece.bytes => offset += u64::from(came),
                Ok(_) => return Ok(false),
                Err(refusal) if refusal.fault.kind == FaultKind::WrongData => return Ok(false),
                Err(refusal) => return Err(refusal.fault),
            }
        }
        Ok(true)
    }

    pub(super) async fn make_folders(&mut self, path: &str) -> Result<(), Fault> {
        let above = path.match_indices('\\').map(|(at, _)| &path[..at]);
        for folder in above.chain([path]).filter(|folder| !folder.is_empty()) {
            let mut request = Request::plain(folder, access::READ_ATTRIBUTES, Disposition::OpenIf);
            request.options = DIRECTORY;
            let opened = self.create(&request).await?;
            self.close_id(&opened.file).await?;
        }
        Ok(())
    }
}
