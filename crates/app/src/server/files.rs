//! The clients' files: opening them, reading and writing blocks, and the description of the data
//! set.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::error::FolderError;
use super::folder::Folder;
use super::scratch::Scratch;
use super::settings::WriteMode;
use crate::block::{Generation, Place, UNIT_BYTES, Wrong, verify};
use crate::message::{DataSet, Shape};
use crate::reply::Code;

const DATA_SET: &str = "data-set.json";

/// The name of a client's file.
pub(crate) fn name_of(file: u32) -> String {
    format!("client-{file:06}.dat")
}

/// Whether a name is one that [`name_of`] returns, or that of an unfinished copy.
pub(crate) fn is_ours(name: &str) -> bool {
    let stem = name
        .strip_suffix(".dat")
        .or_else(|| name.strip_suffix(".dat.part"));
    stem.and_then(|stem| stem.strip_prefix("client-"))
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Why a request was not done: the code and the sentence of the error reply.
pub(crate) type Failure = (Code, String);

pub(crate) fn system(what: &str, error: &io::Error) -> Failure {
    let code = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOSPC | Errno::DQUOT) => Code::NoSpace,
        _ => Code::System,
    };
    (code, format!("{what}: {error}"))
}

/// A client's file, kept open by its connection.
#[derive(Debug)]
pub(crate) struct OpenFile {
    number: u32,
    epoch: u64,
    file: File,
}

/// The data set.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) folder: Folder,
    mode: WriteMode,
    data_set: RwLock<Option<DataSet>>,
    /// Grows whenever files are replaced or deleted, so that no connection keeps using an old one.
    epoch: AtomicU64,
}

impl Files {
    /// The data set in this folder; an error if its file system does not support the write mode.
    pub(crate) fn open(folder: Folder, mode: WriteMode) -> Result<Self, FolderError> {
        let data_set = folder.open_file(DATA_SET, OFlags::RDONLY).ok();
        let data_set = data_set.and_then(|file| serde_json::from_reader(file).ok());
        let files = Self {
            folder,
            mode,
            data_set: RwLock::new(data_set),
            epoch: AtomicU64::new(0),
        };
        if mode == WriteMode::Direct {
            files.try_direct()?;
        }
        Ok(files)
    }

    fn try_direct(&self) -> Result<(), FolderError> {
        const PROBE: &str = "client-999999.dat.part";
        let path = self.folder.path();
        let result = self.folder.create(PROBE).and_then(|_| {
            let file = self.folder.open_file(PROBE, OFlags::RDWR | self.flags())?;
            let mut scratch = Scratch::new();
            file.write_all_at(scratch.data(UNIT_BYTES as usize), 0)?;
            file.read_exact_at(scratch.data(UNIT_BYTES as usize), 0)
        });
        let removed = self.folder.remove(PROBE);
        match result.and(removed) {
            Ok(()) => Ok(()),
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
                Err(FolderError::NoDirect(path.into()))
            }
            Err(reason) => Err(FolderError::System {
                path: path.into(),
                reason,
            }),
        }
    }

    const fn flags(&self) -> OFlags {
        match self.mode {
            WriteMode::Buffered => OFlags::empty(),
            WriteMode::Dsync => OFlags::DSYNC,
            WriteMode::Direct => OFlags::DIRECT,
        }
    }

    /// The description of the data set, if there is one.
    pub(crate) fn data_set(&self) -> Option<DataSet> {
        *self.data_set.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the description of the data set, in memory and on disk.
    pub(crate) fn set_data_set(&self, data_set: Option<DataSet>) -> io::Result<()> {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        *self
            .data_set
            .write()
            .unwrap_or_else(PoisonError::into_inner) = data_set;
        match data_set {
            None => self.folder.remove(DATA_SET),
            Some(data_set) => {
                const PART: &str = "data-set.json.part";
                serde_json::to_writer(self.folder.create(PART)?, &data_set)?;
                self.folder.rename(PART, DATA_SET)
            }
        }
    }

    /// Reads the block into the scratch area's data.
    pub(crate) fn read(
        &self,
        kept: &mut Option<OpenFile>,
        (file, offset): (u32, u64),
        block: &mut [u8],
    ) -> Result<(), Failure> {
        self.check_range(offset, block.len())?;
        let handle = self.handle(kept, file)?;
        handle
            .read_exact_at(block, offset)
            .map_err(|error| system(&format!("reading file {file} at offset {offset}"), &error))
    }

    /// Writes the block if it arrived whole.
    pub(crate) fn write(
        &self,
        kept: &mut Option<OpenFile>,
        (file, offset): (u32, u64),
        block: &[u8],
    ) -> Result<(), Failure> {
        let Shape { seed, .. } = self.check_range(offset, block.len())?;
        verify(block, Place { file, offset, seed }, |_| {
            Generation::default()
        })
        .map_err(|damage| {
            let sentence = match damage.wrong {
                Wrong::Seed(other) => format!(
                    "the block belongs to a data set with seed {other}, the server's has {seed}"
                ),
                _ => format!("the block to be written arrived damaged: {damage}"),
            };
            (Code::Damaged, sentence)
        })?;
        let handle = self.handle(kept, file)?;
        handle
            .write_all_at(block, offset)
            .map_err(|error| system(&format!("writing file {file} at offset {offset}"), &error))
    }

    fn check_range(&self, offset: u64, bytes: usize) -> Result<Shape, Failure> {
        let Some(DataSet { shape, .. }) = self.data_set() else {
            return Err((Code::NotPrepared, "no data set is prepared".into()));
        };
        if offset
            .checked_add(bytes as u64)
            .is_none_or(|end| end > shape.range_bytes)
        {
            let range_bytes = shape.range_bytes;
            let sentence = format!(
                "{bytes} bytes at offset {offset} lie outside the I/O range of {range_bytes} bytes"
            );
            return Err((Code::NotPrepared, sentence));
        }
        Ok(shape)
    }

    /// The open file, from the connection if it is still the right one.
    fn handle<'a>(&self, kept: &'a mut Option<OpenFile>, file: u32) -> Result<&'a File, Failure> {
        let epoch = self.epoch.load(Ordering::Acquire);
        let current = kept
            .take()
            .filter(|open| open.number == file && open.epoch == epoch);
        let open = match current {
            Some(open) => open,
            None => OpenFile {
                number: file,
                epoch,
                file: self.open_client_file(file)?,
            },
        };
        Ok(&kept.insert(open).file)
    }

    fn open_client_file(&self, file: u32) -> Result<File, Failure> {
        let flags = OFlags::RDWR | self.flags();
        self.folder
            .open_file(&name_of(file), flags)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    (Code::NotPrepared, format!("file {file} is not prepared"))
                }
                _ => system(&format!("opening file {file}"), &error),
            })
    }

    /// Whether blocks must lie at aligned addresses.
    pub(crate) fn needs_alignment(&self) -> bool {
        self.mode == WriteMode::Direct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_the_server_gives_are_its_own() {
        assert!(is_ours(&name_of(0)) && is_ours(&name_of(999_999)));
        assert!(is_ours("client-000012.dat.part"));
        for name in [
            "client-12.dat",
            "client-00001x.dat",
            "client-000001.txt",
            ".headcount",
            "x",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
