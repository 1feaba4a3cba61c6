//! What steps name: a file or folder of the data set, or a path given by the workload.

use headcount_load::{Fault, FaultKind, User};
use headcount_script::Names;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::name::Name;
use crate::text::Text;

/// The longest path that Linux takes; Windows takes about twice that.
const MOST_PATH_BYTES: usize = 4096;
/// Characters of a path that messages show.
const MOST_SHOWN: usize = 100;

/// What a step names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A file or folder of the data set, or what was last named in a slot.
    Of(Name),
    /// A path that the workload gives, below the share or the folder of the target.
    Own(OwnPath),
}

/// A path given by the workload. It never leads out of the share, whatever its placeholders become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPath {
    text: Text,
    /// The path with backslashes between its parts, if it has no placeholders.
    constant: Option<Box<str>>,
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::String(text) => Ok(Self::Own(OwnPath {
                text: text.into(),
                constant: None,
            })),
            table => Name::deserialize(table)
                .map(Self::Of)
                .map_err(D::Error::custom),
        }
    }
}

impl Named {
    /// Compiles placeholders and checks the path; `key` is its name in the step.
    pub(crate) fn compile(&mut self, key: &str, names: &mut Names) -> Result<(), String> {
        match self {
            Self::Of(name) => name.check(),
            Self::Own(own) => own
                .compile(names)
                .map_err(|mistake| format!("{key}: {mistake}")),
        }
    }
}

impl OwnPath {
    fn compile(&mut self, names: &mut Names) -> Result<(), String> {
        self.text.compile(names)?;
        let written = self.text.written();
        if self.text.is_constant() {
            self.constant = Some(match written {
                "." => "".into(), // the share itself, which has no name
                written => path_below(written)?.into(),
            });
            return Ok(());
        }
        // Parts with placeholders are checked when the step is played.
        let mut known = parts(written).filter(|part| !part.contains('{'));
        known
            .find_map(why_not)
            .map_or(Ok(()), |why| Err(refusal(written, &why)))
    }

    /// The path of a user, with backslashes between its parts; empty for the share itself.
    pub(crate) fn of(&self, user: &mut User) -> Result<String, Fault> {
        if let Some(path) = &self.constant {
            return Ok(path.to_string());
        }
        path_below(&self.text.of(user)?)
            .map_err(|sentence| Fault::step(FaultKind::Refused, sentence))
    }
}

/// Replaces slashes in a path by backslashes. An error if the path is invalid or leads out of the
/// share.
pub fn path_below(text: &str) -> Result<String, String> {
    if text.len() > MOST_PATH_BYTES {
        let why = format!("it is longer than {MOST_PATH_BYTES} bytes");
        return Err(refusal(text, &why));
    }
    match parts(text).find_map(why_not) {
        Some(why) => Err(refusal(text, &why)),
        None => Ok(text.replace('/', "\\")),
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(['/', '\\'])
}

/// Why this cannot be a part of a path on the share; None if it can.
fn why_not(part: &str) -> Option<String> {
    if part.is_empty() {
        let why = "it has an empty part; write folders and the name with one / between them, and \
                   none at its beginning and its end";
        return Some(why.to_owned());
    }
    if part.chars().any(char::is_control) {
        return Some("it has control characters".to_owned());
    }
    // Windows strips dots and spaces from the ends of names.
    let leads_elsewhere = part.trim_end_matches(['.', ' ']).is_empty();
    leads_elsewhere
        .then(|| format!("\"{part}\" leads elsewhere; write the path from the share's root"))
}

fn refusal(text: &str, why: &str) -> String {
    let shown: String = text.chars().take(MOST_SHOWN).collect();
    let shown = shown.escape_debug();
    format!("\"{shown}\" cannot be a path on the share: {why}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_stay_on_the_share() {
        let right = |text| path_below(text).unwrap();
        assert_eq!(right("a/b c/d.txt"), r"a\b c\d.txt");
        assert_eq!(right(r"a\b"), r"a\b");
        assert_eq!(right("..a/.b/c.."), r"..a\.b\c..");
        assert_eq!(right("größe.doc"), "größe.doc");
        for (text, part) in [
            ("..", "leads elsewhere"),
            ("a/../../b", "leads elsewhere"),
            (r"a\..\b", "leads elsewhere"),
            ("a/.. /b", "leads elsewhere"),
            ("a/./b", "leads elsewhere"),
            ("/etc/passwd", "an empty part"),
            (r"\\server\share", "an empty part"),
            ("a//b", "an empty part"),
            ("a/", "an empty part"),
            ("", "an empty part"),
            ("a\0b", "control characters"),
            ("a\nb", "control characters"),
        ] {
            let sentence = path_below(text).unwrap_err();
            assert!(sentence.contains(part), "{text}: {sentence}");
            assert!(!sentence.contains(['\0', '\n']), "{sentence}");
        }
        assert!(path_below(&"a".repeat(5000)).unwrap_err().contains("4096"));
    }

    proptest! {
        #[test]
        fn accepted_paths_never_lead_up(text in r"[./\\ a\x00]{0,12}") {
            if let Ok(path) = path_below(&text) {
                for part in path.split('\\') {
                    prop_assert!(!part.is_empty() && part != "." && part != "..");
                }
                prop_assert!(!path.contains(['/', '\0']));
            }
        }
    }
}
