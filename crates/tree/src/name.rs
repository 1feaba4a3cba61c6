//! Names of the data set, as steps give them.

use headcount_load::stream::Stream;
use serde::{Deserialize, Deserializer};

use crate::data_set::{DataSet, Group, Place};
use crate::library::Part;
use crate::slot::check_slot;

/// A name: a file or folder of the data set, with a prefix and a suffix.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Name {
    /// The file or folder.
    pub file: Choice,
    /// For `library` and `upload`: of which class or classes; by default of all.
    #[serde(default, deserialize_with = "one_or_more")]
    pub class: Vec<String>,
    /// For `same`: the slot whose last name is meant; by default this step's own.
    #[serde(default)]
    pub of: Option<u8>,
    /// Put before the last part of the path, such as `~$`.
    #[serde(default)]
    pub before: String,
    /// Put after it, such as `.tmp`.
    #[serde(default)]
    pub after: String,
}

/// Which file or folder: the one last named in a slot, or one of a group of the data set, drawn
/// evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(
    missing_docs,
    reason = "all but the first are the groups of the data set"
)]
pub enum Choice {
    /// The one last named in a slot.
    Same,
    Static,
    Volatile,
    New,
    Shared,
    Missing,
    Folder,
    Home,
    SharedFolder,
    Library,
    Upload,
}

impl Choice {
    /// The group to draw from; none for [`Choice::Same`].
    #[must_use]
    pub const fn group(self) -> Option<Group> {
        Some(match self {
            Self::Same => return None,
            Self::Static => Group::Static,
            Self::Volatile => Group::Volatile,
            Self::New => Group::New,
            Self::Shared => Group::Shared,
            Self::Missing => Group::Missing,
            Self::Folder => Group::Folder,
            Self::Home => Group::Home,
            Self::SharedFolder => Group::SharedFolder,
            Self::Library => Group::Library,
            Self::Upload => Group::Upload,
        })
    }
}

/// One of `count` numbers, drawn uniformly.
fn drawn(count: u32, stream: &mut Stream) -> Option<u32> {
    (count > 0).then(|| stream.below(count.into()) as u32)
}

/// One name, or a list of them.
fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "class is a name, or a list of names")]
    enum Names {
        One(String),
        More(Vec<String>),
    }
    Ok(match Names::deserialize(from)? {
        Names::One(name) => vec![name],
        Names::More(names) => names,
    })
}

impl Name {
    /// Draws uniformly from what the name may mean; None for [`Choice::Same`]. An error if the data
    /// set has nothing of the kind.
    pub fn draw(&self, data_set: &DataSet, stream: &mut Stream) -> Result<Option<Place>, String> {
        let Some(group) = self.file.group() else {
            return Ok(None);
        };
        let library = &data_set.library;
        let part = match group {
            Group::Library => Part::Files,
            Group::Upload => Part::Uploads,
            _ => {
                let index = drawn(data_set.count(group), stream);
                return index
                    .map(|index| Some(Place { group, index }))
                    .ok_or_else(|| format!("the data set has no {group:?} files").to_lowercase());
            }
        };
        if let Some(unknown) = library.unknown(&self.class) {
            return Err(format!("the library has no class \"{unknown}\""));
        }
        drawn(library.count_of(part, &self.class), stream)
            .and_then(|ordinal| library.index_of(part, &self.class, ordinal))
            .map(|index| Some(Place { group, index }))
            .ok_or_else(|| "the library has no files of these classes there".to_owned())
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check_slot(self.of.unwrap_or(0))?;
        if !self.class.is_empty() && !matches!(self.file, Choice::Library | Choice::Upload) {
            return Err("class goes only with file = \"library\" or file = \"upload\"".into());
        }
        let parts = [&self.before, &self.after];
        match parts
            .into_iter()
            .find(|part| part.contains(['\\', '/', ':', '*', '?', '"']))
        {
            Some(part) => Err(format!(
                "before and after must be parts of a file's name, without \\ / : * ? or quotes; \
                 one is {part}"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use headcount_load::stream::Purpose;

    use super::*;
    use crate::content::Content;
    use crate::library::{Class, Library};

    fn name(file: Choice, class: &[&str]) -> Name {
        Name {
            file,
            class: class.iter().map(ToString::to_string).collect(),
            of: None,
            before: String::new(),
            after: String::new(),
        }
    }

    #[test]
    fn files_of_the_named_classes_are_drawn_equally_often() {
        let class = |name: &str, files, uploads| Class {
            name: name.to_owned(),
            content: Content::Data,
            bytes: 4096,
            files,
            uploads,
        };
        let data_set = DataSet {
            static_files: 0,
            library: Library::new(vec![class("a", 2, 1), class("b", 3, 0), class("c", 3, 0)]),
            ..DataSet::default()
        };
        let mut stream = Stream::new(1, Purpose::Scenario, 0, 0);
        let mut counts = [0; 8];
        for _ in 0..5000 {
            let drawn = name(Choice::Library, &["a", "c"]).draw(&data_set, &mut stream);
            counts[drawn.unwrap().unwrap().index as usize] += 1;
        }
        assert_eq!(counts[2..5], [0, 0, 0]);
        for index in [0, 1, 5, 6, 7] {
            // 1000 expected, and a standard deviation of 28.
            assert!((860..1140).contains(&counts[index]), "{counts:?}");
        }
        let mut error = |name: Name| name.draw(&data_set, &mut stream).unwrap_err();
        let unknown = error(name(Choice::Library, &["x"]));
        assert_eq!(unknown, "the library has no class \"x\"");
        let none = error(name(Choice::Upload, &["b"]));
        assert!(none.contains("no files of these classes"), "{none}");
        let none = error(name(Choice::Static, &[]));
        assert_eq!(none, "the data set has no static files");
        let same = name(Choice::Same, &[]).draw(&data_set, &mut stream);
        assert_eq!(same, Ok(None));
    }
}
