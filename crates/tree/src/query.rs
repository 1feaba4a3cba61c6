//! What can be asked about an open file. The names are those of MS-FSCC.
#![allow(
    clippy::doc_markdown,
    reason = "classes are written as the specification writes them"
)]

use serde::Deserialize;

/// The facts in an answer about a file that captures and checks may see, if they were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// Its bytes.
    pub size: Option<u64>,
    /// When it was last written, in ns of Unix time.
    pub modified_ns: Option<i64>,
}

/// What is asked about an open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Query {
    /// Everything (`FileAllInformation`, MS-FSCC 2.4.2).
    #[default]
    All,
    /// Times and attributes (`FileBasicInformation`, 2.4.7).
    Basic,
    /// Sizes and links (`FileStandardInformation`, 2.4.47).
    Standard,
    /// Times, sizes and attributes (`FileNetworkOpenInformation`, 2.4.33).
    NetworkOpen,
    /// Streams (`FileStreamInformation`, 2.4.49).
    Stream,
    /// The file system's size (`FileFsFullSizeInformation`, 2.5.4).
    FileSystemSize,
    /// The volume's label (`FileFsVolumeInformation`, 2.5.9).
    Volume,
    /// Owner, group and access list (MS-DTYP 2.4.6).
    Security,
}
