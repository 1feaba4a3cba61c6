//! Making the data set over SMB, one place at a time, so that a caller can show progress, stop, and
//! go on later: what is there already in its size stays.

use headcount_load::{Fault, FaultKind, Moved};
use headcount_tree::data_set::Place;

use crate::client::session::{Handle, SmbSession};
use crate::wire::create::{
    DIRECTORY, Disposition, NOT_DIRECTORY, Oplock, Request, SHARE_ALL, access,
};
use crate::wire::info::Change;

/// Bytes of each write: what Windows clients copy files with.
const CHUNK_BYTES: u32 = 1 << 20;

impl SmbSession {
    /// Makes a folder or file of this user's data set, with the folders above a folder. Files need
    /// their folders: [`headcount_tree::data_set::DataSet::prepared`] has the order. A file that has its size
    /// stays as it is, unless it is read through and found damaged.
    pub async fn prepare(&mut self, place: Place, read_through: bool) -> Result<Moved, Fault> {
        let path = self.path(place, "", "");
        if place.group.is_folder() {
            self.make_folders(&path).await?;
            return Ok(Moved::default());
        }
        let request = Request {
            path: &path,
            access: access::READ | access::WRITE,
            share: SHARE_ALL,
            disposition: Disposition::OpenIf,
            options: NOT_DIRECTORY,
            oplock: Oplock::None,
        };
        let opened = self.create(&request).await?;
        let (file, end_of_file) = (opened.file, opened.end_of_file);
        let handle = Handle {
            file,
            place,
            position: 0,
            end_of_file,
        };
        let bytes = self.shared.data_set.bytes(self.number, place);
        let is_whole =
            end_of_file == bytes && (!read_through || self.is_whole(&handle, bytes).await?);
        let mut offset = if is_whole { bytes } else { 0 };
        let began = offset;
        while offset < bytes {
            let limit = self.connection.state.agreed.max_write.min(CHUNK_BYTES);
            let affordable = self.connection.affordable_bytes(limit);
            let chunk = (bytes - offset).min(u64::from(affordable)) as u32;
            self.write_chunk(&handle, offset, chunk).await?;
            offset += u64::from(chunk);
        }
        if end_of_file > bytes {
            self.set(&handle, "end of file", Change::EndOfFile(bytes))
                .await?;
        }
        self.close_file(&file).await?;
        Ok(Moved {
            written_bytes: bytes - began,
            read_bytes: 0,
        })
    }

    /// Whether every byte of a file is what belongs there.
    async fn is_whole(&mut self, handle: &Handle, bytes: u64) -> Result<bool, Fault> {
        let mut offset = 0;
        while offset < bytes {
            let limit = self.connection.state.agreed.max_read.min(CHUNK_BYTES);
            let affordable = self.connection.affordable_bytes(limit);
            let chunk = (bytes - offset).min(u64::from(affordable)) as u32;
            match self.read_chunk(handle, offset, chunk).await {
                Ok(()) => offset += u64::from(chunk),
                Err(fault) if fault.kind == FaultKind::WrongData => return Ok(false),
                Err(fault) => return Err(fault),
            }
        }
        Ok(true)
    }

    pub(super) async fn make_folders(&mut self, path: &str) -> Result<(), Fault> {
        let above = path.match_indices('\\').map(|(at, _)| &path[..at]);
        for folder in above.chain([path]).filter(|folder| !folder.is_empty()) {
            let request = Request {
                path: folder,
                access: access::READ_ATTRIBUTES,
                share: SHARE_ALL,
                disposition: Disposition::OpenIf,
                options: DIRECTORY,
                oplock: Oplock::None,
            };
            let opened = self.create(&request).await?;
            self.close_file(&opened.file).await?;
        }
        Ok(())
    }
}
