//! The files of all users of a target: where they are, and what they contain.

use headcount_load::{Pattern, Turns};

use crate::data_set::{DataSet, Place};
use crate::program::source::Source;
use crate::program::{Path, Program};

/// The files and the program that all users of a target play on.
#[derive(Debug)]
pub struct FileTree {
    /// Each user's folder, below the share or the folder of the target.
    pub folder: Pattern,
    /// The number, in names, of the run's first user.
    pub first_user: u32,
    /// Which files each user has.
    pub data_set: DataSet,
    /// The program that users play turn by turn, if the target has one.
    pub program: Option<Program>,
    /// Whether what is read is checked.
    pub verify: bool,
}

impl FileTree {
    /// Checks the data set and loads the program. The error is a sentence.
    pub fn new(
        folder: &str,
        first_user: u32,
        data_set: DataSet,
        program: Option<&Source>,
        verify: bool,
    ) -> Result<Self, String> {
        data_set.check()?;
        let folder = folder.parse::<Pattern>();
        let program = program.map(|source| source.load(&data_set)).transpose()?;
        Ok(Self {
            folder: folder.map_err(|error| error.to_string())?,
            first_user,
            program,
            data_set,
            verify,
        })
    }

    /// The number, in names, of a user of the run.
    #[must_use]
    pub const fn number(&self, id: u32) -> u32 {
        self.first_user.saturating_add(id)
    }

    /// A user's folder.
    #[must_use]
    pub fn home(&self, number: u32) -> String {
        self.folder.text(number)
    }

    /// The path of a user's file or folder, with backslashes between its parts.
    #[must_use]
    pub fn path(&self, number: u32, place: Place) -> String {
        self.data_set.path(&self.home(number), place)
    }

    /// A program's path for a user, with backslashes between its parts.
    #[must_use]
    pub fn program_path(&self, number: u32, path: &Path) -> String {
        let home = self.home(number);
        let folder = if path.is_common {
            home.rsplit_once('\\').map_or("", |(above, _)| above)
        } else {
            &home
        };
        match (folder, &*path.below) {
            ("", below) => below.to_owned(),
            (folder, "") => folder.to_owned(),
            (folder, below) => format!("{folder}\\{below}"),
        }
    }

    /// The order in which users play the program, if there is one.
    #[must_use]
    pub fn turns(&self) -> Option<Turns> {
        self.program.as_ref().map(Program::turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_paths_lie_in_the_users_or_the_common_folder() {
        let tree = |folder| FileTree::new(folder, 3, DataSet::default(), None, true).unwrap();
        let path = |below: &str, is_common| Path {
            below: below.into(),
            is_common,
        };
        let deep = tree(r"staff\user{n:02}");
        let number = deep.number(4);
        assert_eq!(deep.home(number), r"staff\user07");
        for (below, is_common, expected) in [
            ("a", false, r"staff\user07\a"),
            ("", false, r"staff\user07"),
            ("a", true, r"staff\a"),
            ("", true, "staff"),
        ] {
            assert_eq!(deep.program_path(number, &path(below, is_common)), expected);
        }
        let flat = tree("user{n}");
        assert_eq!(flat.program_path(7, &path("a", true)), "a");
        assert_eq!(flat.program_path(7, &path("", true)), "");
    }

    #[test]
    fn invalid_folders_and_data_sets_are_refused() {
        let error = |folder: &str, data_set| FileTree::new(folder, 0, data_set, None, true).err();
        assert!(error("user{x", DataSet::default()).is_some());
        let empty = DataSet {
            median_bytes: 0,
            ..DataSet::default()
        };
        assert!(error("user{n}", empty).is_some());
        assert!(error("user{n}", DataSet::default()).is_none());
    }
}
