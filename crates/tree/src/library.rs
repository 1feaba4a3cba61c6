//! A library: files of a few classes, each of one size and one kind of contents.
//!
//! The files of the library are prepared once for all users of a share, who read them. In addition
//! each user has names for uploading files of the same classes.

use serde::{Deserialize, Serialize};

use crate::block::UNIT_BYTES;
use crate::content::Content;

/// Most classes, files of a class, and names for uploads of a class.
const MOST_CLASSES: usize = 64;
const MOST_FILES: u32 = 100_000;
const MOST_UPLOADS: u32 = 10_000;
/// The largest file: what the file systems of common servers can hold.
const MOST_BYTES: u64 = 1 << 40;
/// The longest name of a class, which becomes the name of a folder.
const MOST_NAME: usize = 40;

/// Files of one size and one kind of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its name in steps.
    pub name: String,
    /// The kind of contents.
    pub content: Content,
    /// Bytes of each file.
    pub bytes: u64,
    /// How many files of the class all users of a share read.
    pub files: u32,
    /// How many names for uploads each user has.
    pub uploads: u32,
}

/// The classes of a data set; most have none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Library(Vec<Class>);

/// Which of a class's files are meant: those that all read, or a user's names for uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Files that all users of a share read.
    Files,
    /// A user's names.
    Uploads,
}

impl Library {
    /// A library of these classes.
    #[must_use]
    pub const fn new(classes: Vec<Class>) -> Self {
        Self(classes)
    }

    /// Whether there are no classes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The classes.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.0
    }

    /// A sentence about the first figure out of bounds, if there is one.
    pub fn check(&self) -> Result<(), String> {
        if self.0.len() > MOST_CLASSES {
            let classes = self.0.len();
            return Err(format!(
                "a library has up to {MOST_CLASSES} classes; there are {classes}"
            ));
        }
        for (index, class) in self.0.iter().enumerate() {
            class.check()?;
            if self.0[..index].iter().any(|other| other.name == class.name) {
                let name = &class.name;
                return Err(format!(
                    "two classes of the library are called \"{name}\"; names must differ"
                ));
            }
        }
        Ok(())
    }

    /// Files of all classes in a part.
    #[must_use]
    pub fn count(&self, part: Part) -> u32 {
        self.0.iter().map(|class| class.count(part)).sum()
    }

    /// Files in a part of the classes with these names; of all classes without names.
    #[must_use]
    pub fn count_of(&self, part: Part, names: &[String]) -> u32 {
        let meant = self.0.iter().filter(|class| class.is_one_of(names));
        meant.map(|class| class.count(part)).sum()
    }

    /// The number, in a part, of the `ordinal`-th file of the named classes.
    #[must_use]
    pub fn index_of(&self, part: Part, names: &[String], ordinal: u32) -> Option<u32> {
        let (mut before, mut left) = (0, ordinal);
        for class in &self.0 {
            let count = class.count(part);
            if class.is_one_of(names) {
                if left < count {
                    return Some(before + left);
                }
                left -= count;
            }
            before += count;
        }
        None
    }

    /// The class of a file in a part, and the file's number within the class.
    #[must_use]
    pub fn class_of(&self, part: Part, index: u32) -> Option<(&Class, u32)> {
        let mut left = index;
        for class in &self.0 {
            let count = class.count(part);
            if left < count {
                return Some((class, left));
            }
            left -= count;
        }
        None
    }

    /// The first of these names that no class has.
    #[must_use]
    pub fn unknown<'a>(&self, names: &'a [String]) -> Option<&'a str> {
        let known = |name: &&String| self.0.iter().any(|class| class.name == **name);
        names.iter().find(|name| !known(name)).map(String::as_str)
    }
}

impl Class {
    const fn count(&self, part: Part) -> u32 {
        match part {
            Part::Files => self.files,
            Part::Uploads => self.uploads,
        }
    }

    fn is_one_of(&self, names: &[String]) -> bool {
        names.is_empty() || names.contains(&self.name)
    }

    fn check(&self) -> Result<(), String> {
        let Self {
            name,
            bytes,
            files,
            uploads,
            ..
        } = self;
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let fits = (1..=MOST_NAME).contains(&name.len());
        if !fits || !name.chars().all(|letter| plain(letter) || letter == '-') {
            return Err(format!(
                "the name of a class of the library must be up to {MOST_NAME} small letters, \
                 digits and dashes; one is \"{name}\""
            ));
        }
        let unit = u64::from(UNIT_BYTES);
        if !bytes.is_multiple_of(unit) || !(unit..=MOST_BYTES).contains(bytes) {
            return Err(format!(
                "files of the class {name} must have a multiple of {unit} bytes up to 2^40; they \
                 have {bytes}"
            ));
        }
        if !(1..=MOST_FILES).contains(files) || *uploads > MOST_UPLOADS {
            return Err(format!(
                "the class {name} must have from 1 to {MOST_FILES} files and up to {MOST_UPLOADS} \
                 uploads; it has {files} and {uploads}"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, files: u32, uploads: u32) -> Class {
        Class {
            name: name.to_owned(),
            content: Content::Text,
            bytes: 65536,
            files,
            uploads,
        }
    }

    #[test]
    fn every_file_of_the_named_classes_is_found_once() {
        let library = Library::new(vec![class("a", 3, 1), class("b", 2, 0), class("c", 4, 2)]);
        assert_eq!(library.count(Part::Files), 9);
        assert_eq!(library.count(Part::Uploads), 3);
        let all = |part, names: &[&str]| -> Vec<(String, u32)> {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let count = library.count_of(part, &names);
            assert_eq!(library.index_of(part, &names, count), None);
            let index = |ordinal| library.index_of(part, &names, ordinal).unwrap();
            let file = |ordinal| library.class_of(part, index(ordinal)).unwrap();
            let pair = |(class, number): (&Class, u32)| (class.name.clone(), number);
            (0..count).map(|ordinal| pair(file(ordinal))).collect()
        };
        let pairs = |some: &[(&str, u32)]| -> Vec<(String, u32)> {
            some.iter().map(|(n, i)| (n.to_string(), *i)).collect()
        };
        let a = [("a", 0), ("a", 1), ("a", 2)];
        let c = [("c", 0), ("c", 1), ("c", 2), ("c", 3)];
        assert_eq!(all(Part::Files, &["c"]), pairs(&c));
        assert_eq!(all(Part::Files, &["c", "a"]), pairs(&[&a[..], &c].concat()));
        let uploads = [("a", 0), ("c", 0), ("c", 1)];
        assert_eq!(all(Part::Uploads, &[]), pairs(&uploads));
        assert_eq!(all(Part::Uploads, &["b"]), []);
        assert_eq!(library.class_of(Part::Files, 9), None);
        let names = ["a", "bb"].map(String::from);
        assert_eq!(library.unknown(&names), Some("bb"));
        assert_eq!(library.unknown(&names[..1]), None);
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |change: fn(&mut Class)| {
            let mut one = class("a", 3, 1);
            change(&mut one);
            Library::new(vec![class("other", 1, 1), one])
                .check()
                .unwrap_err()
        };
        assert_eq!(Library::new(vec![class("a", 3, 1)]).check(), Ok(()));
        assert!(wrong(|c| c.name = "a b".into()).contains("one is \"a b\""));
        assert!(wrong(|c| c.name = "..".into()).contains("small letters"));
        assert!(wrong(|c| c.name.clear()).contains("one is \"\""));
        assert!(wrong(|c| c.name = "other".into()).contains("called \"other\""));
        assert!(wrong(|c| c.bytes = 1000).contains("they have 1000"));
        assert!(wrong(|c| c.files = 0).contains("it has 0 and 1"));
        assert!(wrong(|c| c.uploads = 10_001).contains("it has 3 and 10001"));
    }
}
