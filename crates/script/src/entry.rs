//! Files and folders of a file server.

/// A file or folder, as file servers describe it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Its bytes, as far as the server was asked.
    pub size: Option<u64>,
    /// When it was last written, in ns of Unix time, as far as the server was asked.
    pub modified_ns: Option<i64>,
}
