//! One line of a load file, taken apart.

use crate::program::answer::Answer;
use crate::program::operation::Kind;
use crate::query::Query;

/// Characters of the longest line.
const MOST_CHARACTERS: usize = 4096;
/// Words of the longest line: those of `FIND_FIRST`, and a time stamp.
const MOST_WORDS: usize = 8;

/// One operation as written.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub kind: Kind,
    pub expected: Answer,
    /// The words between the operation and the status, without their quotes.
    arguments: Vec<&'a str>,
}

impl<'a> Line<'a> {
    /// Parses a line; None if it is empty.
    pub fn of(text: &'a str, ignores_times: bool) -> Result<Option<Self>, String> {
        if text.len() > MOST_CHARACTERS {
            return Err(format!("it is longer than {MOST_CHARACTERS} bytes"));
        }
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return Ok(None);
        }
        let mut words = words(text)?;
        if words[0].starts_with(|letter: char| letter.is_ascii_digit()) {
            if words[0].parse::<f64>().is_err() {
                return Err(unknown(words[0]));
            }
            if !ignores_times {
                return Err(format!(
                    "it begins with the time stamp {}; operations are played one after the other \
                     without waiting: give --ignore-times to skip time stamps",
                    words[0]
                ));
            }
            words.remove(0);
        }
        let word = words.first().copied().unwrap_or_default();
        let kind = Kind::of_word(word).ok_or_else(|| unknown(word))?;
        let status = words
            .last()
            .copied()
            .filter(|_| words.len() > 1)
            .unwrap_or_default();
        let expected = Answer::of_word(status).ok_or_else(|| {
            format!(
                "the last word must be the expected status, such as NT_STATUS_OK or 0xc0000034; it \
                 is \"{}\"",
                shown(status)
            )
        })?;
        let arguments = words[1..words.len() - 1].to_vec();
        Ok(Some(Self {
            kind,
            expected,
            arguments,
        }))
    }

    /// How many words there are between the operation and the status.
    pub fn words(&self) -> usize {
        self.arguments.len()
    }

    /// An error unless it has these words.
    pub fn has(&self, names: &[&str]) -> Result<(), String> {
        if self.arguments.len() == names.len() {
            return Ok(());
        }
        Err(format!(
            "{} needs {}, and the status; there are {} words before the status",
            self.kind.name(),
            names.join(", "),
            self.arguments.len()
        ))
    }

    pub fn text(&self, at: usize) -> &'a str {
        self.arguments.get(at).copied().unwrap_or_default()
    }

    /// A word as a number, decimal or with 0x before it.
    pub fn number(&self, at: usize, name: &str) -> Result<u64, String> {
        let text = self.text(at);
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let text = shown(text);
        number.map_err(|_| format!("the {name} must be 0 or more; it is \"{text}\""))
    }
}

/// Words separated by blanks; text in quotes is one word.
fn words(text: &str) -> Result<Vec<&str>, String> {
    let mut words = Vec::with_capacity(MOST_WORDS);
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if words.len() == MOST_WORDS {
            return Err(format!("it has more than {MOST_WORDS} words"));
        }
        let (word, after) = match rest.strip_prefix('"') {
            Some(inside) => inside
                .split_once('"')
                .ok_or_else(|| "a quote is not closed".to_owned())?,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

fn unknown(word: &str) -> String {
    let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let (word, known) = (shown(word), known.join(", "));
    format!("\"{word}\" is not an operation of a load file of dbench; these are: {known}")
}

/// A word of a load file, made safe for a message.
pub(super) fn shown(word: &str) -> String {
    let start: String = word.chars().take(60).collect();
    start.escape_debug().to_string()
}

/// The class of SMB 2 for an information level of SMB 1 (MS-CIFS 2.2.8.3, MS-SMB 2.2.2.3.5);
/// [`Query::All`] for levels without one here.
pub(super) const fn query(level: u64) -> Query {
    match level {
        0x101 | 1004 => Query::Basic,
        0x102 | 1005 => Query::Standard,
        // Attributes and a tag: the nearest class with attributes.
        1034 | 1035 => Query::NetworkOpen,
        1022 => Query::Stream,
        _ => Query::All,
    }
}

/// The same for the file system: its label, or its size.
pub(super) const fn file_system_query(level: u64) -> Query {
    match level {
        0x102 | 1001 => Query::Volume,
        _ => Query::FileSystemSize,
    }
}
