//! What users do: the steps of a workload, compiled.

use headcount_load::Compile;
use serde::Deserialize;
use serde_json::Value;

use crate::block::UNIT_BYTES;
use crate::lock::Range;
use crate::parts::{Control, Name, Open, Share, Transfer, check_slot};
use crate::query::Query;

/// One step. `slot` says which of the user's four handles it is about, 0 unless told.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Logs on anew, logging off before if the user is still logged on.
    Logon {
        /// On a new connection, with a new NEGOTIATE.
        #[serde(default)]
        reconnect: bool,
    },
    /// Leaves the shares and logs off; the connection stays. Whatever comes next logs on again.
    Logoff {},
    /// Connects to a share anew.
    TreeConnect {
        /// Which one.
        #[serde(default)]
        share: Share,
    },
    /// Leaves a share.
    TreeDisconnect {
        /// Which one.
        #[serde(default)]
        share: Share,
    },
    /// Asks whether the server is there.
    Echo {},
    /// Opens or makes a file or folder, closing what the slot held.
    Open(Open),
    /// Asks for a name that must not be there: that it is not found is the success.
    Probe {
        /// The name.
        path: Name,
    },
    /// Opens a name, asks about it and closes it, in one frame.
    Inspect {
        /// The name.
        path: Name,
        /// What is asked.
        #[serde(default)]
        class: Query,
        /// Whether it must not be there: that it is not found is the success then.
        #[serde(default)]
        missing: bool,
    },
    /// Closes the handle.
    Close {
        /// The handle.
        #[serde(default)]
        slot: u8,
    },
    /// Reads, in requests of `chunk_bytes`, and checks what comes.
    Read(Transfer),
    /// Writes, in requests of `chunk_bytes`.
    Write(Transfer),
    /// Has the server put on disk what was written.
    Flush {
        /// The handle.
        #[serde(default)]
        slot: u8,
    },
    /// Lists an open folder to its end.
    List {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// Only names like this: `*` and `?` stand for others.
        #[serde(default = "everything")]
        pattern: String,
        /// Only what comes first: all that a client asks for when it looks for one name.
        #[serde(default)]
        once: bool,
    },
    /// Asks about an open file.
    Stat {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// What is asked.
        #[serde(default)]
        class: Query,
    },
    /// Renames an open file, which must have been opened with `delete` access.
    Rename {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// The new name.
        to: Name,
        /// Whether what has that name is replaced.
        #[serde(default)]
        replace: bool,
    },
    /// Has an open file deleted when it is closed; it must have been opened with `delete` access.
    Delete {
        /// The handle.
        #[serde(default)]
        slot: u8,
    },
    /// Sets the length of an open file.
    Truncate {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// The new length; the size that the data set gives the file, unless told.
        #[serde(default)]
        bytes: Option<u64>,
    },
    /// Sets the time of the last write to the server's time at the start of the connection.
    SetTimes {
        /// The handle.
        #[serde(default)]
        slot: u8,
    },
    /// Locks a range of bytes; fails if somebody else holds it.
    Lock(Range),
    /// Unlocks a range.
    Unlock {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// The first byte.
        #[serde(default)]
        offset: u64,
        /// How many.
        bytes: u64,
    },
    /// Plays the user's turn of the target's program.
    Turn {},
    /// Asks for something through a file system control; that the server does not offer it is as
    /// good an answer as any.
    Ioctl {
        /// What is asked.
        control: Control,
        /// The handle, for controls about a file.
        #[serde(default)]
        slot: u8,
    },
}

fn everything() -> String {
    "*".to_owned()
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        let step = Self::deserialize(options).map_err(|error| error.to_string())?;
        match &step {
            Self::Open(open) => check_slot(open.slot).and_then(|()| open.path.check()),
            Self::Probe { path } | Self::Inspect { path, .. } => path.check(),
            Self::Read(transfer) | Self::Write(transfer) => transfer.check(),
            Self::Rename { slot: at, to, .. } => check_slot(*at).and_then(|()| to.check()),
            Self::Truncate { slot: at, bytes }
                if bytes.unwrap_or(0).is_multiple_of(UNIT_BYTES.into()) =>
            {
                check_slot(*at)
            }
            Self::Truncate { bytes, .. } => Err(format!(
                "bytes must be a multiple of {UNIT_BYTES}; it is {}",
                bytes.unwrap_or(0)
            )),
            Self::Lock(range) => check_slot(range.slot),
            Self::Close { slot: at }
            | Self::Flush { slot: at }
            | Self::List { slot: at, .. }
            | Self::Stat { slot: at, .. }
            | Self::Delete { slot: at }
            | Self::SetTimes { slot: at }
            | Self::Unlock { slot: at, .. }
            | Self::Ioctl { slot: at, .. } => check_slot(*at),
            Self::Logon { .. }
            | Self::Logoff {}
            | Self::TreeConnect { .. }
            | Self::TreeDisconnect { .. }
            | Self::Echo {}
            | Self::Turn {} => Ok(()),
        }?;
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classes(path: &Value) -> Result<Vec<String>, String> {
        match Step::compile(&json!({"op": "open", "path": path}))? {
            Step::Open(open) => Ok(open.path.class),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_of_the_library_is_of_one_class_or_of_several() {
        let all = classes(&json!({"file": "library"}));
        assert_eq!(all, Ok(vec![]));
        let one = classes(&json!({"file": "upload", "class": "text"}));
        assert_eq!(one, Ok(vec!["text".to_owned()]));
        let two = classes(&json!({"file": "library", "class": ["text", "data"]}));
        assert_eq!(two, Ok(vec!["text".to_owned(), "data".to_owned()]));
        let wrong = classes(&json!({"file": "static", "class": "text"})).unwrap_err();
        assert!(wrong.contains("file = \"library\""), "{wrong}");
        assert!(classes(&json!({"file": "library", "class": 7})).is_err());
    }
}
