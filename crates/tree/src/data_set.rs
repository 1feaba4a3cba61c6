//! The files of each user: how many, how large, and what they are called.
//!
//! Below a user's folder are [`DataSet::folders`] folders, four in each: folder 0 is the user's
//! own, folder `d` is `dNNN` in folder `(d - 1) / 4`, so 100 of them go four deep. Group and number
//! of a file determine its folder and its name, which is the letter of the group and the number:
//! `s0012.doc`. Files that all users share are in `shared` beside the users' folders, and those of
//! a [`Library`] in `library`, in a folder for each class. Uploads go to the user's own folder:
//! `u0003-text.txt`.
//!
//! Sizes of files outside the library are lognormal, rounded up to whole units of 4,096 bytes and
//! capped, and depend only on seed, user, group and number: users have files of different sizes,
//! the same in every run. They are spread evenly over the distribution, so that every user has
//! about the same sum.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::block::{Owner, UNIT_BYTES};
use crate::content::Content;
use crate::library::{Class, Library, Part};
use crate::normal::normal_quantile;
use crate::splitmix::splitmix;

/// Which kind of file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Group {
    /// Prepared, and never changed in size or deleted.
    Static = 1,
    /// Prepared, and changed, renamed and deleted by users.
    Volatile = 2,
    /// Made by users during the run.
    New = 3,
    /// Prepared once for all users, in a folder they share.
    Shared = 4,
    /// Names that never exist.
    Missing = 5,
    /// One of the user's folders.
    Folder = 6,
    /// The user's own folder.
    Home = 7,
    /// The folder of the files that all users share.
    SharedFolder = 8,
    /// A file of the library, numbered consecutively over all classes.
    Library = 9,
    /// A user's name for uploading a file of one of the library's classes, numbered likewise.
    Upload = 10,
    /// The folder of a class of the library.
    LibraryFolder = 11,
}

impl Group {
    /// Whether its members are folders, which have no contents.
    #[must_use]
    pub const fn is_folder(self) -> bool {
        matches!(
            self,
            Self::Home | Self::Folder | Self::SharedFolder | Self::LibraryFolder
        )
    }
}

/// One file or folder of one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its kind.
    pub group: Group,
    /// Its number within the group.
    pub index: u32,
}

/// How many files each user has, and their sizes. The figures are ours: their sum, about 80 MB per
/// user, is near the 81 MB that published runs of FSCT prepared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataSet {
    /// Everything random in it derives from this.
    pub seed: u64,
    /// Folders, the user's own included.
    pub folders: u32,
    /// Files of [`Group::Static`].
    pub static_files: u32,
    /// Files of [`Group::Volatile`].
    pub volatile_files: u32,
    /// Names of [`Group::New`].
    pub new_files: u32,
    /// Files of [`Group::Shared`].
    pub shared_files: u32,
    /// The median of the lognormal distribution of sizes.
    pub median_bytes: u64,
    /// Its sigma: the standard deviation of the logarithm.
    pub sigma: f64,
    /// No file outside the library is larger.
    pub most_bytes: u64,
    /// The classes of files, and users' uploads.
    #[serde(skip_serializing_if = "Library::is_empty")]
    pub library: Library,
}

impl Default for DataSet {
    fn default() -> Self {
        Self {
            seed: 1,
            folders: 100,
            static_files: 300,
            volatile_files: 50,
            new_files: 145,
            shared_files: 100,
            median_bytes: 32 << 10,
            sigma: 2.0,
            most_bytes: 16 << 20,
            library: Library::default(),
        }
    }
}

impl DataSet {
    /// A sentence about the first figure out of bounds, if there is one.
    pub fn check(&self) -> Result<(), String> {
        let counts = [
            ("folders", self.folders),
            ("static_files", self.static_files),
            ("volatile_files", self.volatile_files),
            ("new_files", self.new_files),
            ("shared_files", self.shared_files),
        ];
        // With a library, no other files are needed.
        let fewest_files = u32::from(self.library.is_empty());
        for (name, count) in counts {
            let fewest = if name == "folders" { 1 } else { fewest_files };
            if !(fewest..=100_000).contains(&count) {
                return Err(format!(
                    "{name} must be from {fewest} to 100000; it is {count}"
                ));
            }
        }
        self.library.check()?;
        if !(0.0..=5.0).contains(&self.sigma) {
            return Err(format!("sigma must be from 0 to 5; it is {}", self.sigma));
        }
        let unit = u64::from(UNIT_BYTES);
        let (median, most) = (self.median_bytes, self.most_bytes);
        if median < 1 || most < unit || most > 1 << 40 || median > most {
            return Err(format!(
                "median_bytes must be from 1 to most_bytes, and most_bytes from {unit} to 2^40; \
                 they are {median} and {most}"
            ));
        }
        Ok(())
    }

    /// How many files or folders a group has.
    #[must_use]
    pub fn count(&self, group: Group) -> u32 {
        match group {
            Group::Static => self.static_files,
            Group::Volatile => self.volatile_files,
            Group::New => self.new_files,
            Group::Shared => self.shared_files,
            Group::Missing => 1 << 20,
            Group::Folder => self.folders,
            Group::Home => 1,
            Group::SharedFolder => u32::from(self.shared_files > 0),
            Group::Library => self.library.count(Part::Files),
            Group::Upload => self.library.count(Part::Uploads),
            Group::LibraryFolder => self.library.classes().len() as u32,
        }
    }

    /// What is prepared for each user, folders before their contents.
    pub fn prepared(&self) -> impl Iterator<Item = Place> + use<> {
        // The folder with the number 0 is the user's own.
        let folders = places(Group::Folder, 1..self.folders);
        places(Group::Home, 0..1)
            .chain(folders)
            .chain(places(Group::Static, 0..self.static_files))
            .chain(places(Group::Volatile, 0..self.volatile_files))
    }

    /// What is prepared once for all users, folders before their contents.
    pub fn shared(&self) -> impl Iterator<Item = Place> + use<> {
        [
            Group::SharedFolder,
            Group::Shared,
            Group::LibraryFolder,
            Group::Library,
        ]
        .map(|group| places(group, 0..self.count(group)))
        .into_iter()
        .flatten()
    }

    /// The owner that the blocks of a file carry.
    #[must_use]
    pub fn owner(&self, user: u32, place: Place) -> Owner {
        Owner {
            user: if matches!(place.group, Group::Shared | Group::Library) {
                u32::MAX
            } else {
                user
            },
            file: (place.group as u32) << 24 | place.index,
            seed: self.seed,
            content: self
                .class(place)
                .map_or(Content::default(), |(class, _)| class.content),
        }
    }

    /// The class of a file of the library or of an upload, and the file's number within it.
    fn class(&self, place: Place) -> Option<(&Class, u32)> {
        match place.group {
            Group::Library => self.library.class_of(Part::Files, place.index),
            Group::Upload => self.library.class_of(Part::Uploads, place.index),
            _ => None,
        }
    }

    /// Bytes of a file when it is prepared or made.
    #[must_use]
    pub fn bytes(&self, user: u32, place: Place) -> u64 {
        if let Some((class, _)) = self.class(place) {
            return class.bytes;
        }
        let normal = normal_quantile(self.share_below(user, place));
        let size = self.median_bytes as f64 * (self.sigma * normal).exp();
        (size as u64)
            .clamp(1, self.most_bytes)
            .next_multiple_of(u64::from(UNIT_BYTES))
            .min(self.most_bytes / u64::from(UNIT_BYTES) * u64::from(UNIT_BYTES))
    }

    /// Which share of all files is smaller, in (0, 1).
    ///
    /// Multiples of the golden ratio, modulo 1, cover the interval evenly, and so does any run of
    /// them (Kuipers and Niederreiter, Uniform Distribution of Sequences, 1974, chapter 2). So the
    /// files of one user, and the sum of a few users' files, are near the distribution's mean;
    /// independent draws from so wide a distribution would need thousands of files.
    fn share_below(&self, user: u32, place: Place) -> f64 {
        let Place { group, index } = place;
        let user = match group {
            Group::Shared => 0,
            _ => user,
        };
        let ordinal = u64::from(user) * u64::from(self.count(group)) + u64::from(index);
        let start = splitmix(self.seed ^ (group as u64) << 56);
        let turned = ordinal
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(start);
        ((turned >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Bytes of a user's own files: those prepared, and those of [`Group::New`] and
    /// [`Group::Upload`] when all of them have been made.
    #[must_use]
    pub fn own_bytes(&self, user: u32) -> u64 {
        let groups = [Group::Static, Group::Volatile, Group::New, Group::Upload];
        self.sum_bytes(&groups, user)
    }

    /// Bytes of the files that all users of a share use.
    #[must_use]
    pub fn shared_bytes(&self) -> u64 {
        self.sum_bytes(&[Group::Shared, Group::Library], 0)
    }

    fn sum_bytes(&self, groups: &[Group], user: u32) -> u64 {
        groups
            .iter()
            .flat_map(|group| places(*group, 0..self.count(*group)))
            .map(|place| self.bytes(user, place))
            .sum()
    }

    /// Its path below the share. `home` is the user's folder, or empty.
    #[must_use]
    pub fn path(&self, home: &str, place: Place) -> String {
        let Place { group, index } = place;
        match group {
            Group::Home => home.to_owned(),
            Group::Folder => folder(home, index),
            Group::SharedFolder => beside(home, SHARED),
            Group::Shared => format!("{}\\h{index:04}.doc", beside(home, SHARED)),
            Group::LibraryFolder => {
                let class = self.library.classes().get(index as usize);
                library_folder(home, class.map_or("", |class| &class.name))
            }
            Group::Library | Group::Upload => {
                let Some((class, number)) = self.class(place) else {
                    return String::new(); // no such file in the library
                };
                let (name, ending) = (&class.name, class.content.ending());
                if group == Group::Library {
                    format!("{}\\f{number:04}.{ending}", library_folder(home, name))
                } else {
                    join(home, &format!("u{number:04}-{name}.{ending}"))
                }
            }
            Group::Static | Group::Volatile | Group::New | Group::Missing => {
                let letter = match group {
                    Group::Static => 's',
                    Group::Volatile => 'v',
                    Group::New => 'n',
                    _ => 'm',
                };
                let key = splitmix(u64::from(group as u8) << 32 | u64::from(index));
                let folder = folder(home, (key % u64::from(self.folders)) as u32);
                join(&folder, &format!("{letter}{index:04}.doc"))
            }
        }
    }
}

fn folder(home: &str, index: u32) -> String {
    if index == 0 {
        return home.to_owned();
    }
    join(&folder(home, (index - 1) / 4), &format!("d{index:03}"))
}

/// The common folders, beside those of users.
pub const COMMON_FOLDERS: [&str; 3] = [SHARED, LIBRARY, RECORDS];
/// The folder of records that are written during the load, and read back.
pub const RECORDS: &str = "ledger";
const SHARED: &str = "shared";
const LIBRARY: &str = "library";

/// A path beside the user's folder, or in it if the share is the user's folder.
fn beside(home: &str, name: &str) -> String {
    let above = home.rsplit_once('\\').map_or("", |(above, _)| above);
    join(above, name)
}

fn library_folder(home: &str, class: &str) -> String {
    join(&beside(home, LIBRARY), class)
}

fn places(group: Group, range: Range<u32>) -> impl Iterator<Item = Place> + use<> {
    range.map(move |index| Place { group, index })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}\\{name}")
    }
}

#[cfg(test)]
mod tests;
