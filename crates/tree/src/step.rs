//! What users do: the steps of a workload, compiled.

use headcount_load::Compile;
use headcount_script::Names;
use serde::Deserialize;
use serde_json::Value;

use crate::block::UNIT_BYTES;
use crate::listing::List;
use crate::lock::Range;
use crate::looks::Looks;
use crate::named::Named;
use crate::parts::{Control, Open, Share, Transfer};
use crate::query::Query;
use crate::slot::check_slot;

/// One step. `slot` is the one of the user's four handles that it is about, by default 0.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Logs on again, after logging off if the user is still logged on.
    Logon {
        /// On a new connection, with a new NEGOTIATE.
        #[serde(default)]
        reconnect: bool,
    },
    /// Leaves the shares and logs off; the connection stays. The next step logs on again.
    Logoff {},
    /// Connects to a share again.
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
    /// Checks that the server responds.
    Echo {},
    /// Opens or makes a file or folder, closing what the slot held.
    Open(Open),
    /// Looks up a name that must not exist: "not found" is the success.
    Probe {
        /// The name.
        path: Named,
    },
    /// Opens a name, asks about it and closes it, in one frame.
    Inspect {
        /// The name.
        path: Named,
        /// What is asked.
        #[serde(default)]
        class: Query,
        /// Whether it must not exist: "not found" is then the success.
        #[serde(default)]
        missing: bool,
        /// What is looked at.
        #[serde(skip)]
        looks: Looks,
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
    /// Has the server flush written data to disk.
    Flush {
        /// The handle.
        #[serde(default)]
        slot: u8,
    },
    /// Lists an open folder to its end.
    List(List),
    /// Asks about an open file.
    Stat {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// What is asked.
        #[serde(default)]
        class: Query,
        /// What is looked at.
        #[serde(skip)]
        looks: Looks,
    },
    /// Renames an open file, which must have been opened with `delete` access.
    Rename {
        /// The handle.
        #[serde(default)]
        slot: u8,
        /// The new name.
        to: Named,
        /// Whether to replace something that has the new name.
        #[serde(default)]
        replace: bool,
    },
    /// Marks an open file for deletion when it is closed; it must have been opened with `delete`
    /// access.
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
        /// The new length; by default the size that the data set gives the file.
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
    /// Sends a file system control; that the server does not offer it is an acceptable answer.
    Ioctl {
        /// What is asked.
        control: Control,
        /// The handle, for controls about a file.
        #[serde(default)]
        slot: u8,
    },
}

impl Compile for Step {
    fn compile(options: &Value) -> Result<Self, String> {
        Self::compile_with(options, &mut Names::default())
    }

    fn compile_with(options: &Value, names: &mut Names) -> Result<Self, String> {
        let mut options = options.clone();
        let looks = match options.as_object_mut() {
            Some(table) => Looks::taken(table, names)?,
            None => Looks::default(),
        };
        let mut step = Self::deserialize(options).map_err(|error| error.to_string())?;
        step.look(looks);
        step.check()?;
        step.compile_texts(names)?;
        Ok(step)
    }
}

impl Step {
    /// Sets the captures and checks of the step.
    fn look(&mut self, at: Looks) {
        match self {
            Self::List(List { looks, .. })
            | Self::Stat { looks, .. }
            | Self::Inspect { looks, .. }
            | Self::Read(Transfer { looks, .. }) => *looks = at,
            _ => {}
        }
    }

    /// Compiles placeholders in names and texts.
    fn compile_texts(&mut self, names: &mut Names) -> Result<(), String> {
        match self {
            Self::Open(open) => open.path.compile("path", names),
            Self::Probe { path } | Self::Inspect { path, .. } => path.compile("path", names),
            Self::Rename { to, .. } => to.compile("to", names),
            Self::List(List { pattern, .. }) => pattern
                .compile(names)
                .map_err(|mistake| format!("pattern: {mistake}")),
            Self::Write(Transfer {
                text: Some(text), ..
            }) => text
                .compile(names)
                .map_err(|mistake| format!("text: {mistake}")),
            _ => Ok(()),
        }
    }

    /// Checks figures and combinations of options.
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Open(open) => check_slot(open.slot),
            Self::Read(Transfer { text: Some(_), .. }) => {
                Err("text is for writes; a read has none".into())
            }
            Self::Read(transfer) | Self::Write(transfer) => transfer.check(),
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
            Self::List(list) => list.check(),
            Self::Stat { slot, class, looks } => {
                check_slot(*slot).and_then(|()| looks.check_class(*class))
            }
            Self::Inspect {
                missing: true,
                looks,
                ..
            } if !looks.is_empty() => {
                Err("missing = true, so there is nothing to capture or check".into())
            }
            Self::Inspect { class, looks, .. } => looks.check_class(*class),
            Self::Rename { slot: at, .. }
            | Self::Close { slot: at }
            | Self::Flush { slot: at }
            | Self::Delete { slot: at }
            | Self::SetTimes { slot: at }
            | Self::Unlock { slot: at, .. }
            | Self::Ioctl { slot: at, .. } => check_slot(*at),
            Self::Logon { .. }
            | Self::Logoff {}
            | Self::TreeConnect { .. }
            | Self::TreeDisconnect { .. }
            | Self::Probe { .. }
            | Self::Echo {}
            | Self::Turn {} => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn classes(path: &Value) -> Result<Vec<String>, String> {
        match Step::compile(&json!({"op": "open", "path": path}))? {
            Step::Open(Open {
                path: Named::Of(name),
                ..
            }) => Ok(name.class),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_of_the_library_has_one_class_or_several() {
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

    #[test]
    fn texts_are_the_workloads_own_paths() {
        let compile = |options: &Value| {
            let mut names = Names::default();
            Step::compile_with(options, &mut names)?;
            names.check()
        };
        let open = |path| compile(&json!({"op": "open", "path": path}));
        assert_eq!(open("reports/{n:05}/{uuid}.txt"), Ok(()));
        assert_eq!(open("."), Ok(()));
        for path in ["../x", "reports/../../{n}", "/{n}"] {
            let out = open(path).unwrap_err();
            assert!(
                out.starts_with(&format!("path: \"{path}\" cannot be")),
                "{out}"
            );
        }
        let unknown = open("{nn}/x").unwrap_err();
        assert!(unknown.contains("do you mean \"n\"?"), "{unknown}");
        let to = compile(&json!({"op": "rename", "to": "/x"})).unwrap_err();
        assert!(to.starts_with("to: \"/x\""), "{to}");
        let both = compile(&json!({"op": "write", "text": "a", "bytes": 4096})).unwrap_err();
        assert!(both.contains("not both"), "{both}");
        assert!(compile(&json!({"op": "read", "text": "a"})).is_err());
        assert!(compile(&json!({"op": "open", "path": 7})).is_err());
    }
}
