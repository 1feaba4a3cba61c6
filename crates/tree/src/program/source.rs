//! Where a target's program comes from.

use std::fs;

use serde::Deserialize;

use super::parse::parse;
use super::{Program, disk_mix};
use crate::data_set::DataSet;

/// Bytes of the largest load file that is read.
const MOST_BYTES: u64 = 1 << 30;

/// Where a target's program comes from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Source {
    /// A load file of dbench on this machine.
    LoadFile {
        /// Where it is.
        path: String,
        /// Whether to skip time stamps in it.
        #[serde(default)]
        ignores_times: bool,
    },
    /// Generated from the statistics of `NetBench`'s Disk Mix.
    DiskMix {},
}

impl Source {
    /// The program; or a sentence about what is wrong with its source.
    pub fn load(&self, data_set: &DataSet) -> Result<Program, String> {
        match self {
            Self::DiskMix {} => disk_mix::make(data_set),
            Self::LoadFile {
                path,
                ignores_times,
            } => load_file(path, *ignores_times),
        }
    }
}

fn load_file(path: &str, ignores_times: bool) -> Result<Program, String> {
    let unreadable = |error: std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
            _ => error.to_string(),
        };
        format!("the load file {path} cannot be read: {reason}")
    };
    let about = fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(format!("the load file {path} is not a file"));
    }
    if about.len() > MOST_BYTES {
        let bytes = about.len();
        return Err(format!(
            "the load file {path} has {bytes} bytes; no more than {MOST_BYTES} are read"
        ));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = before.split('\n').count();
        format!("the load file {path}, line {line}: it is not UTF-8 text")
    })?;
    parse(text, ignores_times).map_err(|error| format!("the load file {path}, {error}"))
}
