//! Which pages a data set has: classes of pages in directories.

use serde::{Deserialize, Serialize};

use super::content::{Content, Owner};

/// A class of pages: their sizes, and how often they are requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its name, part of the files' names: letters, digits and underscores.
    pub name: String,
    /// Its share of the requests, relative to the other classes.
    pub percent: f64,
    /// Sizes of its files, repeated in turn.
    #[serde(default)]
    pub sizes: Vec<u64>,
    /// Instead of `sizes`: sizes of the first and the last file, with the others evenly between.
    #[serde(default)]
    pub range: Option<[u64; 2]>,
    /// Files in each directory; by default one for each size.
    #[serde(default)]
    pub files: Option<u32>,
    /// What the bytes are like.
    #[serde(default)]
    pub content: Content,
    /// Whether a CGI program makes the pages. They are in no directory then, and `files` is the
    /// number of different ones.
    #[serde(default)]
    pub cgi: bool,
}

/// Names of directories, or how many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Directories {
    /// This many, called `dir00000` and so on.
    Count(u32),
    /// These names, with slashes between the parts; the empty name is the home directory.
    Named(Vec<String>),
}

/// The pages of a data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageSet {
    /// The seed of everything random in it.
    #[serde(default = "one")]
    pub seed: u64,
    /// The directories; each has files of all classes.
    pub directories: Directories,
    /// How unevenly directories are asked for: the n-th is drawn in proportion to `n^-alpha`
    /// (Zipf's law). 0: evenly.
    #[serde(default)]
    pub alpha: f64,
    /// The classes.
    pub classes: Vec<Class>,
}

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its number in the data set.
    pub number: u32,
    /// Index of its class.
    pub class: usize,
    /// Index of its directory.
    pub directory: u32,
    /// Its number within class and directory.
    pub file: u32,
    /// Its length.
    pub bytes: u64,
}

/// The largest page: offsets in pages are 32 bits.
const MOST_BYTES: u64 = 1 << 30;
const MOST_FILES: u32 = 100_000;
const MOST_DIRECTORIES: usize = 1_000_000;
const MOST_CLASSES: usize = 1000;

const fn one() -> u64 {
    1
}

/// Appends a number with at least `least` digits.
fn write_digits(mut number: u32, least: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 10];
    let mut first = digits.len();
    while number > 0 {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[first.min(digits.len() - least)..]);
}

impl Class {
    /// Files in each directory.
    #[must_use]
    pub fn files(&self) -> u32 {
        let sizes = u32::try_from(self.sizes.len()).unwrap_or(u32::MAX);
        self.files.unwrap_or(sizes.max(1))
    }

    /// Bytes of a file.
    #[must_use]
    pub fn bytes(&self, file: u32) -> u64 {
        if let Some([low, high]) = self.range {
            let last = u64::from(self.files().saturating_sub(1).max(1));
            return low + (high - low) * u64::from(file) / last;
        }
        let count = self.sizes.len().max(1);
        self.sizes.get(file as usize % count).copied().unwrap_or(0)
    }

    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Err(format!(
                "the name of a class must be letters, digits and underscores, up to 64; it is \
                 \"{name}\""
            ));
        }
        if !(0.0..=1e9).contains(&self.percent) {
            let percent = self.percent;
            return Err(format!(
                "percent of class {name} must be 0 or more; it is {percent}"
            ));
        }
        if self.sizes.is_empty() == self.range.is_none() {
            return Err(format!("class {name} must have either sizes or range"));
        }
        let sizes = self.sizes.iter().chain(self.range.iter().flatten());
        if let Some(size) = sizes.copied().find(|size| *size > MOST_BYTES) {
            return Err(format!(
                "sizes of class {name} must be from 0 to {MOST_BYTES} bytes; one is {size}"
            ));
        }
        if let Some([low, high]) = self.range
            && low > high
        {
            return Err(format!("range of class {name} must be [low, high]"));
        }
        if !(1..=MOST_FILES).contains(&self.files()) {
            return Err(format!(
                "files of class {name} must be from 1 to {MOST_FILES}"
            ));
        }
        if self.cgi && self.content == Content::Binary {
            return Err(format!(
                "class {name} is made by a CGI program, so its content is text"
            ));
        }
        Ok(())
    }
}

impl Directories {
    /// How many.
    #[must_use]
    pub const fn count(&self) -> usize {
        match self {
            Self::Count(count) => *count as usize,
            Self::Named(names) => names.len(),
        }
    }

    /// Appends the name of a directory.
    fn write_name(&self, index: u32, out: &mut Vec<u8>) {
        match self {
            Self::Count(_) => {
                out.extend_from_slice(b"dir");
                write_digits(index, 5, out);
            }
            Self::Named(names) => {
                let name = names.get(index as usize).map_or("", String::as_str);
                out.extend_from_slice(name.as_bytes());
            }
        }
    }

    fn find(&self, name: &str) -> Option<u32> {
        match self {
            Self::Count(count) => {
                let index = name.strip_prefix("dir")?.parse().ok()?;
                (index < *count).then_some(index)
            }
            Self::Named(names) => {
                let at = names.iter().position(|known| known == name)?;
                u32::try_from(at).ok()
            }
        }
    }

    fn check(&self) -> Result<(), String> {
        if !(1..=MOST_DIRECTORIES).contains(&self.count()) {
            return Err(format!("directories must be from 1 to {MOST_DIRECTORIES}"));
        }
        let Self::Named(names) = self else {
            return Ok(());
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let part_is_plain =
            |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
        let is_plain = |name: &&String| name.is_empty() || name.split('/').all(part_is_plain);
        if let Some(name) = names
            .iter()
            .find(|name| !is_plain(name) || name.len() > 200)
        {
            return Err(format!(
                "a directory must be letters, digits, - _ and . with slashes between, and no part \
                 may begin with a dot; one is \"{name}\""
            ));
        }
        let mut sorted: Vec<_> = names.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("directory \"{}\" is named twice", pair[0])),
            None => Ok(()),
        }
    }
}

impl PageSet {
    /// Checks the data set. The error is a sentence about the first mistake.
    pub fn check(&self) -> Result<(), String> {
        self.directories.check()?;
        if !(1..=MOST_CLASSES).contains(&self.classes.len()) {
            return Err(format!("there must be from 1 to {MOST_CLASSES} classes"));
        }
        self.classes.iter().try_for_each(Class::check)?;
        for (index, class) in self.classes.iter().enumerate() {
            if self.classes[..index]
                .iter()
                .any(|other| other.name == class.name)
            {
                return Err(format!("class {} is named twice", class.name));
            }
        }
        if self.classes.iter().map(|class| class.percent).sum::<f64>() <= 0.0 {
            return Err("percent must be above 0 for at least one class".into());
        }
        if !(0.0..=10.0).contains(&self.alpha) {
            return Err(format!("alpha must be from 0 to 10; it is {}", self.alpha));
        }
        if self.numbers() > u64::from(u32::MAX) {
            return Err("there are more than 2^32 pages: use fewer directories or files".into());
        }
        Ok(())
    }

    /// The page in a directory (any directory, if a CGI program makes the class).
    #[must_use]
    pub fn page(&self, class: usize, directory: u32, file: u32) -> Page {
        let directory = if self.classes[class].cgi {
            0
        } else {
            directory
        };
        let row = u64::from(directory) * self.classes.len() as u64 + class as u64;
        Page {
            number: (row * u64::from(self.most_files()) + u64::from(file)) as u32,
            class,
            directory,
            file,
            bytes: self.classes[class].bytes(file),
        }
    }

    /// The page with this number.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Option<Page> {
        let (row, file) = (number / self.most_files(), number % self.most_files());
        let classes = u32::try_from(self.classes.len()).ok()?;
        let (directory, class) = (row / classes, (row % classes) as usize);
        let here = (directory as usize) < self.directories.count()
            && file < self.classes[class].files()
            && (directory == 0 || !self.classes[class].cgi);
        here.then(|| self.page(class, directory, file))
    }

    /// The page that a path (with its query) names, if it is one of the data set.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Page> {
        let page = if let Some(number) = super::cgi::number(path) {
            self.numbered(number)?
        } else {
            self.find_file(path.strip_prefix('/')?)?
        };
        (self.path(&page) == path).then_some(page)
    }

    fn find_file(&self, path: &str) -> Option<Page> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (class, number) = name.split_once('.')?.0.rsplit_once('-')?;
        let class = self.classes.iter().position(|known| known.name == class)?;
        let file = number.parse().ok()?;
        let directory = self.directories.find(directory)?;
        (file < self.classes[class].files()).then(|| self.page(class, directory, file))
    }

    /// Appends the path of a page, from a slash on, with its query if it has one.
    pub fn write_path(&self, page: &Page, out: &mut Vec<u8>) {
        let class = &self.classes[page.class];
        if class.cgi {
            super::cgi::write_path(self.seed, page, out);
            return;
        }
        out.push(b'/');
        let start = out.len();
        self.directories.write_name(page.directory, out);
        if out.len() > start {
            out.push(b'/');
        }
        out.extend_from_slice(class.name.as_bytes());
        out.push(b'-');
        write_digits(page.file, 4, out);
        out.extend_from_slice(match class.content {
            Content::Text => b".html",
            Content::Binary => b".bin",
        });
    }

    /// The path of a page.
    #[must_use]
    pub fn path(&self, page: &Page) -> String {
        let mut path = Vec::new();
        self.write_path(page, &mut path);
        String::from_utf8_lossy(&path).into_owned()
    }

    /// What determines the bytes of a page.
    #[must_use]
    pub fn owner(&self, page: &Page) -> Owner {
        Owner {
            seed: self.seed,
            page: page.number,
            content: self.classes[page.class].content,
        }
    }

    /// All pages that are files, directory by directory.
    pub fn files(&self) -> impl Iterator<Item = Page> + '_ {
        let directories = 0..self.directories.count() as u32;
        directories.flat_map(move |directory| {
            let classes = (0..self.classes.len()).filter(|class| !self.classes[*class].cgi);
            classes.flat_map(move |class| {
                (0..self.classes[class].files()).map(move |file| self.page(class, directory, file))
            })
        })
    }

    fn most_files(&self) -> u32 {
        self.classes.iter().map(Class::files).max().unwrap_or(1)
    }

    /// An upper bound of page numbers, exclusive.
    fn numbers(&self) -> u64 {
        let rows = self.directories.count() as u64 * self.classes.len() as u64;
        rows.saturating_mul(self.most_files().into())
    }
}
