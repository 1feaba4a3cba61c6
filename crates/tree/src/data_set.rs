//! The files of each user: how many, how large, and what they are called.
//!
//! Below a user's folder stand [`DataSet::folders`] folders, four in each: folder 0 is the user's
//! own, folder `d` is `dNNN` in folder `(d - 1) / 4`, so 100 of them go four deep. Each file stands
//! in a folder that its group and number decide, and is called by the letter of its group and its
//! number: `s0012.doc`. Files that all users share stand in `shared` beside the users' folders.
//!
//! Sizes are lognormal, rounded up to whole units of 4,096 bytes and capped, and depend on seed,
//! user, group and number alone: every user has files of their own sizes, the same in every run.
//! They are spread evenly over the distribution, so that every user has about the same sum.

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
        let normal = normal_quantile(self.share_below(user, place));
        let size = self.median_bytes as f64 * (self.sigma * normal).exp();
        (size as u64)
            .clamp(1, self.most_bytes)
            .next_multiple_of(u64::from(UNIT_BYTES))
            .min(self.most_bytes / u64::from(UNIT_BYTES) * u64::from(UNIT_BYTES))
    }

    /// Which share of all files is smaller, in (0, 1).
    ///
    /// Multiples of the golden ratio, modulo 1, cover the interval evenly, any run of them as well
    /// as can be (Kuipers and Niederreiter, Uniform Distribution of Sequences, 1974, chapter 2). So
    /// the files of one user, and the sum of a few users' files, are near the distribution's mean,
    /// where independent draws from so wide a distribution would need thousands of files.
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

/// Numerator and denominator of a rational approximation, highest power first.
type Ratio = ([f64; 4], [f64; 4]);

/// AS 241: near the middle, in the tails, and far out in them.
const MIDDLE: Ratio = (
    [
        59.109_374_72,
        159.291_132_02,
        50.434_271_938,
        3.387_132_717_9,
    ],
    [67.187_563_6, 78.757_757_664, 17.895_169_469, 1.0],
);
const TAIL: Ratio = (
    [0.170_238_21, 1.306_728_481_6, 2.756_815_39, 1.423_437_277_7],
    [0.0, 0.120_211_32, 0.737_001_642_5, 1.0],
);
const FAR: Ratio = (
    [
        0.017_337_203_997,
        0.428_682_948_37,
        3.081_226_386,
        6.657_905_115,
    ],
    [0.0, 0.012_258_202_635, 0.241_978_942_25, 1.0],
);

/// The number of standard deviations below which a share of a normal distribution lies: algorithm
/// AS 241, PPND7 (Wichura, Applied Statistics 37, 1988), right to 7 digits.
fn normal_quantile(share: f64) -> f64 {
    let ratio = |(above, below): &Ratio, x: f64| {
        let value = |terms: &[f64; 4]| terms.iter().fold(0.0, |sum, term| sum * x + term);
        value(above) / value(below)
    };
    let centred = share - 0.5;
    if centred.abs() <= 0.425 {
        return centred * ratio(&MIDDLE, 0.180_625 - centred * centred);
    }
    let tail = (-share.min(1.0 - share).ln()).sqrt();
    let size = if tail <= 5.0 {
        ratio(&TAIL, tail - 1.6)
    } else {
        ratio(&FAR, tail - 5.0)
    };
    size.copysign(centred)
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
    fn quantiles_are_those_of_the_normal_distribution() {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.5 and 26.6.
        for (share, expected) in [
            (0.5, 0.0),
            (0.75, 0.674_489_75),
            (0.95, 1.644_853_63),
            (0.025, -1.959_963_98),
            (0.999, 3.090_232_31),
            (1e-12, -7.034_483_83),
        ] {
            let found = normal_quantile(share);
            assert!((found - expected).abs() < 1e-6, "{share}: {found}");
        }
    }

    #[test]
    fn every_user_has_the_published_81_mb() {
        let data_set = DataSet::default();
        let mb = |user| {
            let sum = |group| -> u64 {
                let size = move |index| data_set.bytes(user, Place { group, index });
                (0..data_set.count(group)).map(size).sum()
            };
            (sum(Group::Static) + sum(Group::Volatile)) as f64 / 1e6
        };
        let all: Vec<f64> = (0..100).map(mb).collect();
        // The lognormal distribution of median 32 KiB and sigma 2, cut at 16 MiB, has a mean of
        // 225,491 bytes; rounding up adds 2,048 on average: 79.6 MB in 350 files.
        let mean = all.iter().sum::<f64>() / 100.0;
        assert!((mean / 79.64 - 1.0).abs() < 0.005, "{mean}");
        let odd = all.iter().find(|mb| (**mb / 79.64 - 1.0).abs() > 0.3);
        assert_eq!(odd, None);
        let near = all
            .iter()
            .filter(|mb| (**mb / 79.64 - 1.0).abs() < 0.15)
            .count();
        assert!(near > 80, "{all:?}");
    }

    #[test]
    fn small_data_sets_have_files_of_the_same_sizes() {
        let small = DataSet {
            static_files: 3,
            ..DataSet::default()
        };
        let users = 400;
        let group = Group::Static;
        let size = |user, index| small.bytes(user, Place { group, index }) as f64;
        let sum: f64 = (0..users)
            .map(|user| (0..3).map(|i| size(user, i)).sum::<f64>())
            .sum();
        let mean = sum / f64::from(3 * users);
        assert!((mean / 227_539.0 - 1.0).abs() < 0.03, "{mean}");
    }
}
