//! Drawing pages: a class by its percentage, one of its files evenly, a directory by Zipf's law.

use std::fmt;

use headcount_load::stream::Stream;
use serde::Deserialize;

use super::set::{Class, Page, PageSet};

/// Which pages a step asks for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Which {
    /// A group: all pages, those that are files, or those that a CGI program makes.
    Group(Group),
    /// Classes by name.
    Classes(Vec<String>),
}

/// A group of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// All.
    Any,
    /// Files.
    Static,
    /// What a CGI program makes.
    Cgi,
}

impl Which {
    /// Whether it includes the pages of a class.
    #[must_use]
    pub fn holds(&self, class: &Class) -> bool {
        match self {
            Self::Group(Group::Any) => true,
            Self::Group(Group::Static) => !class.cgi,
            Self::Group(Group::Cgi) => class.cgi,
            Self::Classes(names) => names.contains(&class.name),
        }
    }
}

impl fmt::Display for Which {
    /// As the workload file has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(Group::Any) => f.write_str("\"any\""),
            Self::Group(Group::Static) => f.write_str("\"static\""),
            Self::Group(Group::Cgi) => f.write_str("\"cgi\""),
            Self::Classes(names) => write!(f, "{names:?}"),
        }
    }
}

/// A data set from which pages can be drawn quickly.
#[derive(Debug)]
pub struct Deck {
    /// The data set.
    pub set: PageSet,
    /// Cumulative shares of the directories, in [0, 1]; empty if all are equal.
    directories: Vec<f64>,
}

impl Deck {
    /// A deck of a data set that has been checked.
    #[must_use]
    pub fn new(set: PageSet) -> Self {
        let mut directories = Vec::new();
        if set.alpha > 0.0 {
            let weight = |index: usize| (index as f64 + 1.0).powf(-set.alpha);
            let count = set.directories.count();
            let total: f64 = (0..count).map(weight).sum();
            let mut sum = 0.0;
            directories.extend((0..count).map(|index| {
                sum += weight(index);
                sum / total
            }));
        }
        Self { set, directories }
    }

    /// Draws a page; `None` if the data set has none of these. Takes three values from the stream.
    pub fn draw(&self, which: &Which, stream: &mut Stream) -> Option<Page> {
        let (class, file, directory) = (stream.unit(), stream.bits(), stream.unit());
        let class = self.class(which, class)?;
        let files = self.set.classes[class].files();
        let file = ((u128::from(file) * u128::from(files)) >> 64) as u32;
        let count = self.set.directories.count();
        let directory = if self.directories.is_empty() {
            (directory * count as f64) as usize
        } else {
            self.directories
                .partition_point(|bound| *bound <= directory)
        };
        Some(self.set.page(class, directory.min(count - 1) as u32, file))
    }

    /// The class at `share`, from 0 to 1, of the classes that `which` holds.
    fn class(&self, which: &Which, share: f64) -> Option<usize> {
        let meant = |index: &usize| {
            let class = &self.set.classes[*index];
            class.percent > 0.0 && which.holds(class)
        };
        let classes = || (0..self.set.classes.len()).filter(meant);
        let percent = |index: usize| self.set.classes[index].percent;
        let mut left = share * classes().map(percent).sum::<f64>();
        let mut last = None;
        for index in classes() {
            last = Some(index);
            left -= percent(index);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}
