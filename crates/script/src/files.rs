//! Files of a workload that steps send, held once for all users.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::Mistake;

/// A file that steps send. Clones share its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct SentFile(Arc<Held>);

#[derive(PartialEq, Eq)]
struct Held {
    name: Box<str>,
    bytes: Box<[u8]>,
}

/// The files of a plan, by the paths that its steps name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// The files that were read.
    Read(BTreeMap<Box<str>, SentFile>),
    /// The plan is only checked: every file counts as present, and none is read.
    Unread,
}

impl Default for Files {
    fn default() -> Self {
        Self::Read(BTreeMap::new())
    }
}

impl Files {
    /// The files with these paths and bytes.
    pub fn read(given: impl IntoIterator<Item = (String, Box<[u8]>)>) -> Self {
        let held = given.into_iter().map(|(path, bytes)| {
            let file = SentFile::new(&path, bytes);
            (path.into(), file)
        });
        Self::Read(held.collect())
    }

    /// The file with this path. The error says that it was not read.
    pub fn get(&self, path: &str) -> Result<SentFile, Mistake> {
        match self {
            Self::Unread => Ok(SentFile::new(path, Box::default())),
            Self::Read(known) => known.get(path).cloned().ok_or_else(|| {
                format!("the file {path} was not read; give its path beside the workload")
            }),
        }
    }
}

impl SentFile {
    fn new(path: &str, bytes: Box<[u8]>) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).into();
        Self(Arc::new(Held { name, bytes }))
    }

    /// Its name, without folders.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its contents.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl fmt::Debug for SentFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SentFile({}, {} bytes)", self.name(), self.bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_bytes_of_a_file() {
        let bytes: Box<[u8]> = (*b"%PDF").into();
        let files = Files::read([("/home/ada/report.pdf".to_owned(), bytes)]);
        let one = files.get("/home/ada/report.pdf").unwrap();
        let other = files.clone().get("/home/ada/report.pdf").unwrap();
        assert_eq!((one.name(), one.bytes()), ("report.pdf", &b"%PDF"[..]));
        assert_eq!(one.bytes().as_ptr(), other.bytes().as_ptr());
        assert_eq!(format!("{one:?}"), "SentFile(report.pdf, 4 bytes)");
    }

    #[test]
    fn an_unread_file_is_an_error_unless_the_plan_is_only_checked() {
        let sentence = Files::default().get("/report.pdf").unwrap_err();
        assert!(sentence.contains("/report.pdf was not read"), "{sentence}");
        assert_eq!(Files::Unread.get("/report.pdf").unwrap().bytes(), b"");
    }
}
