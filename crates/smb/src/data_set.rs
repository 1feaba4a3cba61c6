//! The files of each user: how many, how large, and what they are called.
//!
//! Below a user's folder stand [`DataSet::folders`] folders, four in each: folder 0 is the user's
//! own, folder `d` is `dNNN` in folder `(d - 1) / 4`, so 100 of them go four deep. Each file stands
//! in a folder that its group and number decide, and is called by the letter of its group and its
//! number: `s0012.doc`. Files that all users share stand in `shared` beside the users' folders.
//!
//! Sizes are lognormal, rounded up to whole units of 4,096 bytes and capped, and depend on seed,
//! user, group and number alone: every user has files of their own sizes, the same in every run.

use serde::{Deserialize, Serialize};

use crate::block::{Owner, UNIT_BYTES, splitmix};

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
    /// Never there.
    Missing = 5,
    /// One of the user's folders.
    Folder = 6,
    /// The user's own folder.
    Home = 7,
    /// The folder of the files that all users share.
    SharedFolder = 8,
}

/// One file or folder of one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its kind.
    pub group: Group,
    /// Its number within the group.
    pub index: u32,
}

/// How many files of which sizes each user has. The figures are ours: their sum, about 80 MB a user,
/// is near the 81 MB that published runs of FSCT prepared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// No file is larger.
    pub most_bytes: u64,
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
        for (name, count) in counts {
            if !(1..=100_000).contains(&count) {
                return Err(format!("{name} must be from 1 to 100000; it is {count}"));
            }
        }
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
    pub const fn count(&self, group: Group) -> u32 {
        match group {
            Group::Static => self.static_files,
            Group::Volatile => self.volatile_files,
            Group::New => self.new_files,
            Group::Shared => self.shared_files,
            Group::Missing => 1 << 20,
            Group::Folder => self.folders,
            Group::Home | Group::SharedFolder => 1,
        }
    }

    /// What is prepared for each user, in an order in which it can be made.
    pub fn prepared(&self) -> impl Iterator<Item = Place> + use<> {
        let each =
            |group, range: std::ops::Range<u32>| range.map(move |index| Place { group, index });
        each(Group::Home, 0..1)
            .chain(each(Group::Folder, 1..self.folders))
            .chain(each(Group::Static, 0..self.static_files))
            .chain(each(Group::Volatile, 0..self.volatile_files))
    }

    /// What is prepared once for all users, in an order in which it can be made.
    pub fn shared(&self) -> impl Iterator<Item = Place> + use<> {
        let folder = Place {
            group: Group::SharedFolder,
            index: 0,
        };
        let files = 0..self.shared_files;
        let file = |index| Place {
            group: Group::Shared,
            index,
        };
        std::iter::once(folder).chain(files.map(file))
    }

    /// What the blocks of a file bear.
    #[must_use]
    pub const fn owner(&self, user: u32, place: Place) -> Owner {
        Owner {
            user: if matches!(place.group, Group::Shared) {
                u32::MAX
            } else {
                user
            },
            file: (place.group as u32) << 24 | place.index,
            seed: self.seed,
        }
    }

    /// Bytes of a file when it is prepared or made.
    #[must_use]
    pub fn bytes(&self, user: u32, place: Place) -> u64 {
        let owner = self.owner(user, place);
        let key = splitmix(self.seed ^ u64::from(owner.user) << 32 ^ u64::from(owner.file));
        let unit = |state: u64| (splitmix(state) >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        // Box and Muller (1958): a normal deviate of two uniform ones.
        let radius = (-2.0 * (1.0 - unit(key)).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * unit(key ^ 1)).cos();
        let size = self.median_bytes as f64 * (self.sigma * normal).exp();
        (size as u64)
            .clamp(1, self.most_bytes)
            .next_multiple_of(u64::from(UNIT_BYTES))
            .min(self.most_bytes / u64::from(UNIT_BYTES) * u64::from(UNIT_BYTES))
    }

    /// Bytes of a user's own files: those prepared, and those of [`Group::New`] when all of them have
    /// been made.
    #[must_use]
    pub fn own_bytes(&self, user: u32) -> u64 {
        let of = |group| {
            let each = move |index| self.bytes(user, Place { group, index });
            (0..self.count(group)).map(each).sum::<u64>()
        };
        of(Group::Static) + of(Group::Volatile) + of(Group::New)
    }

    /// Bytes of the files that all users of a share have in common.
    #[must_use]
    pub fn shared_bytes(&self) -> u64 {
        let group = Group::Shared;
        (0..self.shared_files)
            .map(|index| self.bytes(0, Place { group, index }))
            .sum()
    }

    /// Its path below the share. `home` is the user's folder, or empty.
    #[must_use]
    pub fn path(&self, home: &str, place: Place) -> String {
        let Place { group, index } = place;
        match group {
            Group::Home => home.to_owned(),
            Group::Folder => folder(home, index),
            Group::SharedFolder => shared_folder(home),
            Group::Shared => format!("{}\\h{index:04}.doc", shared_folder(home)),
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

/// Beside the user's folder; for a share that is the user's folder, in it.
fn shared_folder(home: &str) -> String {
    let above = home.rsplit_once('\\').map_or("", |(above, _)| above);
    join(above, "shared")
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}\\{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_folders_and_never_meet() {
        let data_set = DataSet::default();
        let path = |group, index| data_set.path("user00007", Place { group, index });
        assert_eq!(path(Group::Home, 0), "user00007");
        assert_eq!(path(Group::Folder, 0), "user00007");
        assert_eq!(path(Group::Folder, 99), r"user00007\d001\d005\d024\d099");
        assert_eq!(path(Group::Shared, 3), r"shared\h0003.doc");
        assert_eq!(
            data_set.path(
                "",
                Place {
                    group: Group::Folder,
                    index: 1
                }
            ),
            "d001"
        );
        let mut all: Vec<_> = [Group::Static, Group::Volatile, Group::New, Group::Missing]
            .into_iter()
            .flat_map(|group| (0..data_set.count(group).min(500)).map(move |i| path(group, i)))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_user_has_about_the_published_81_mb() {
        let data_set = DataSet::default();
        let users = 100;
        let total: u64 = (0..users)
            .flat_map(|user| {
                let size = move |group, index| data_set.bytes(user, Place { group, index });
                let fixed = (0..300).map(move |index| size(Group::Static, index));
                fixed.chain((0..50).map(move |index| size(Group::Volatile, index)))
            })
            .sum();
        // The capped distribution has a mean of 225,491 bytes and a standard deviation of 900,000;
        // rounding up adds 2,048. 350 files are 79.6 MB then; of 100 users the mean is known to
        // 1.7 MB, and four times that is 6.8.
        let mean_mb = total as f64 / f64::from(users) / 1e6;
        assert!((72.8..86.4).contains(&mean_mb), "{mean_mb}");
    }
}
