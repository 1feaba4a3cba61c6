//! Files and folders of a file server.

/// A file or folder, as file servers describe it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Its size in bytes, if the server was asked for it.
    pub size: Option<u64>,
    /// When it was last written, in ns of Unix time, if the server was asked for it.
    pub modified_ns: Option<i64>,
}
