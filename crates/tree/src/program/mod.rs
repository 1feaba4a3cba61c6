//! Programs: long lists of file operations that users play in order, in an endless loop.
//!
//! * [`operation`]: what is in a program, and which answer each operation expects.
//! * [`parse`]: from a load file of dbench. [`disk_mix`]: generated from published statistics.
//! * [`source`]: where a target's program comes from.
//! * [`contents`]: finds the reads whose contents are known in advance.
//! * [`player`]: one user's place in a program: open files and expectations. [`stage`]: its
//!   operations as requests.

pub mod answer;
pub mod builder;
pub mod contents;
pub mod disk_mix;
pub mod facts;
pub mod operation;
pub mod parse;
pub mod player;
pub mod source;
pub mod stage;

use headcount_load::Turns;

use operation::{Kind, Operation};

/// The folder below a user's own that a program has to itself.
pub const WORK: &str = "work";

/// A path of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Below the user's folder or, if it `is_common`, below the parent of all users' folders.
    /// Backslashes separate its parts.
    pub below: Box<str>,
    /// Whether it belongs to all users.
    pub is_common: bool,
}

/// A list of operations that all users share; each user plays it in their own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What is done, in order.
    pub operations: Box<[Operation]>,
    /// The paths that operations name by index.
    pub paths: Box<[Path]>,
    /// The masks of searches.
    pub masks: Box<[Box<str>]>,
    /// Where users may begin: operations before which nothing is open and the folder is empty.
    pub entries: Box<[u32]>,
    /// Folders, below the user's, that exist before the first operation.
    pub folders: Box<[Box<str>]>,
    /// The most files open at a time; operations name them by slot.
    pub slots: u16,
    /// What the operations' numbers count: lines of a file, or operations.
    pub counts: &'static str,
}

impl Program {
    /// The same program, with operations' numbers that count something other than lines.
    #[must_use]
    pub fn counting(self, counts: &'static str) -> Self {
        Self { counts, ..self }
    }

    /// The order of the kinds of operations, which are scenarios of these names.
    #[must_use]
    pub fn turns(&self) -> Turns {
        Turns {
            names: Kind::ALL
                .iter()
                .map(|kind| kind.name().to_owned())
                .collect(),
            order: self
                .operations
                .iter()
                .map(|operation| operation.action.kind() as u16)
                .collect(),
            entries: self.entries.clone(),
        }
    }
}
