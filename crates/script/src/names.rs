//! The variables of a plan while it is compiled: their names, and what sets them.

use std::collections::BTreeSet;

use crate::{Files, Mistake, SentFile};

/// The index of a value that a user keeps.
pub type Slot = u16;

/// The most variables: more than a person would write.
const MOST_SLOTS: usize = 4_000;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// A value that the user keeps.
    Kept(Slot),
    /// The variable with this index, drawn again at each use.
    Fresh(u16),
}

#[derive(Debug)]
struct Entry {
    name: Box<str>,
    known: Known,
    /// The index of the declared variable that it belongs to.
    variable: Option<u16>,
    /// Whether anything gives it a value.
    is_set: bool,
    /// Where code mentions it; `None` if only a placeholder does.
    place: Option<Box<str>>,
}

/// All names of a plan.
#[derive(Debug, Default)]
pub struct Names {
    entries: Vec<Entry>,
    slots: Slot,
    /// The declared variables mentioned since the last [`Names::take_mentioned`].
    mentioned: BTreeSet<u16>,
    asks_for_identity: bool,
    is_drawn: bool,
    files: Files,
}

/// The names that are always there.
pub const BUILT_IN: [&str; 8] = [
    "n",
    "iteration",
    "uuid",
    "now",
    "now_s",
    "now_ms",
    "username",
    "password",
];

/// Whether this is a valid name: letters, digits and `_`, not starting with a digit.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

impl Names {
    /// An empty list of names, with the files that steps may send.
    #[must_use]
    pub fn with_files(files: Files) -> Self {
        Self {
            files,
            ..Self::default()
        }
    }

    /// The file that a step sends. The error says that it was not read.
    pub fn file(&self, path: &str) -> Result<SentFile, Mistake> {
        self.files.get(path)
    }

    /// Declares a value of the variable with this index. `is_fresh`: it is drawn again at each use.
    pub fn declare(&mut self, name: &str, variable: u16, is_fresh: bool) -> Result<Known, Mistake> {
        match self.entry(name) {
            // No step has been read yet.
            Some(Entry { variable: None, .. }) => {
                return Err(format!(
                    "{{{name}}} is in a text above it, or in its own; a text can have only the \
                     variables above it"
                ));
            }
            Some(_) => return Err(format!("the variable \"{name}\" is defined twice")),
            None => {}
        }
        let known = if is_fresh {
            Known::Fresh(variable)
        } else {
            Known::Kept(self.next_slot()?)
        };
        self.entries.push(Entry {
            name: name.into(),
            known,
            variable: Some(variable),
            is_set: true,
            place: None,
        });
        Ok(known)
    }

    /// The slot of a name to which a step gives a value.
    pub fn set(&mut self, name: &str) -> Result<Slot, Mistake> {
        if !is_name(name) {
            return Err(format!(
                "\"{}\" is not a variable name: a name consists of letters, digits and _",
                name.escape_default()
            ));
        }
        if BUILT_IN.contains(&name) {
            return Err(format!("\"{name}\" is built in; choose another name"));
        }
        match self.entries.iter_mut().find(|entry| &*entry.name == name) {
            Some(Entry {
                variable: Some(_), ..
            }) => Err(format!(
                "\"{name}\" is declared in [variables]; choose another name"
            )),
            Some(entry) => {
                entry.is_set = true;
                let Known::Kept(slot) = entry.known else {
                    return Err(format!("\"{name}\" is drawn wherever it stands"));
                };
                Ok(slot)
            }
            None => self.add(name, true),
        }
    }

    /// Whether this name has been declared, set or mentioned so far.
    #[must_use]
    pub fn is_known(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// What a name in a placeholder stands for. A step may still set it later.
    pub fn mention(&mut self, name: &str) -> Result<Known, Mistake> {
        if let Some(entry) = self.entry(name) {
            let (known, variable) = (entry.known, entry.variable);
            self.mentioned.extend(variable);
            return Ok(known);
        }
        self.add(name, false).map(Known::Kept)
    }

    /// Notes that code mentions a name at this place; the first place counts.
    pub fn mention_at(&mut self, name: &str, place: &str) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| &*entry.name == name) {
            entry.place.get_or_insert_with(|| place.into());
        }
    }

    /// Notes that a placeholder needs the user's name or password.
    pub const fn mention_identity(&mut self) {
        self.asks_for_identity = true;
    }

    /// Notes that a placeholder is for a value that is new in each scenario.
    pub const fn mention_drawn(&mut self) {
        self.is_drawn = true;
    }

    /// Whether users need to keep or draw anything.
    #[must_use]
    pub const fn has_any(&self) -> bool {
        self.slots > 0 || self.asks_for_identity || self.is_drawn || !self.entries.is_empty()
    }

    /// Whether any placeholder needs the user's name or password.
    #[must_use]
    pub const fn asks_for_identity(&self) -> bool {
        self.asks_for_identity
    }

    /// The declared variables mentioned since the last call.
    pub fn take_mentioned(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.mentioned).into_iter().collect()
    }

    /// How many values a user keeps.
    #[must_use]
    pub const fn slots(&self) -> Slot {
        self.slots
    }

    /// The names of the slots.
    #[must_use]
    pub fn of_slots(&self) -> Vec<Box<str>> {
        let kept = self.entries.iter();
        kept.filter(|entry| matches!(entry.known, Known::Kept(_)))
            .map(|entry| entry.name.clone())
            .collect()
    }

    /// Fails if a variable is never set. The error names it, with what may be meant.
    pub fn check(&self) -> Result<(), Mistake> {
        self.unset()
            .next()
            .map_or(Ok(()), |(_, sentence)| Err(sentence))
    }

    /// The names that nothing sets, each with a sentence that says what may be meant.
    pub fn unset(&self) -> impl Iterator<Item = (&str, Mistake)> {
        let unset = self.entries.iter().filter(|entry| !entry.is_set);
        unset.map(|entry| (&*entry.name, self.unknown(entry)))
    }

    fn unknown(&self, unknown: &Entry) -> Mistake {
        let name = &unknown.name;
        let set = self.entries.iter().filter(|entry| entry.is_set);
        let names: Vec<&str> = set.map(|entry| &*entry.name).chain(BUILT_IN).collect();
        let meant = nearest(name, &names).map_or_else(
            || format!("the variables are {}", names.join(", ")),
            |near| format!("do you mean \"{near}\"?"),
        );
        if let Some(place) = &unknown.place {
            return format!(
                "{place}: no step captures or sets vars.{name} and [variables] does not have it; {meant}"
            );
        }
        format!(
            "no step captures or sets {{{name}}} and [variables] does not have it; {meant} (to send \
             a brace before a letter, double it: {{{{{name}}})"
        )
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.name == name)
    }

    fn add(&mut self, name: &str, is_set: bool) -> Result<Slot, Mistake> {
        let slot = self.next_slot()?;
        self.entries.push(Entry {
            name: name.into(),
            known: Known::Kept(slot),
            variable: None,
            is_set,
            place: None,
        });
        Ok(slot)
    }

    fn next_slot(&mut self) -> Result<Slot, Mistake> {
        let slot = self.slots;
        if usize::from(slot) >= MOST_SLOTS {
            return Err(format!("there are more than {MOST_SLOTS} variables"));
        }
        self.slots += 1;
        Ok(slot)
    }
}

/// The known name that needs the fewest changes (at most a third of its letters) to be this one.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let changes = known
        .iter()
        .map(|other| (strsim::levenshtein(name, other), *other));
    let (fewest, nearest) = changes.min()?;
    (fewest <= name.len().max(3) / 3).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_used_before_they_are_set() {
        let mut names = Names::default();
        let used = names.mention("token").unwrap();
        assert!(names.check().is_err());
        let set = names.set("token").unwrap();
        assert_eq!(used, Known::Kept(set));
        assert_eq!(names.check(), Ok(()));
        assert_eq!(names.of_slots(), ["token".into()]);
    }

    #[test]
    fn an_unset_name_is_an_error_that_suggests_the_nearest() {
        let mut names = Names::default();
        names.set("session_token").unwrap();
        names.mention("session_tokn").unwrap();
        let sentence = names.check().unwrap_err();
        assert!(
            sentence.contains("do you mean \"session_token\"?"),
            "{sentence}"
        );
        assert!(
            sentence.contains("double it: {{session_tokn}"),
            "{sentence}"
        );
        let mut names = Names::default();
        names.mention("shop").unwrap();
        let sentence = names.check().unwrap_err();
        assert!(
            sentence.contains("the variables are n, iteration"),
            "{sentence}"
        );
    }

    #[test]
    fn declared_and_built_in_names_cannot_be_set() {
        let mut names = Names::default();
        names.declare("sku", 0, false).unwrap();
        for (name, part) in [
            ("sku", "[variables]"),
            ("now", "built in"),
            ("a b", "letters"),
            ("1a", "letters"),
            ("", "letters"),
        ] {
            let sentence = names.set(name).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
        assert!(
            names
                .declare("sku", 1, false)
                .unwrap_err()
                .contains("twice")
        );
    }

    #[test]
    fn a_variable_is_declared_before_it_is_mentioned() {
        let mut names = Names::default();
        names.mention("site").unwrap();
        let sentence = names.declare("site", 1, false).unwrap_err();
        assert!(
            sentence.contains("{site} is in a text above it"),
            "{sentence}"
        );
    }

    #[test]
    fn names_that_a_scenario_mentions_are_taken_once() {
        let mut names = Names::default();
        names.declare("a", 0, false).unwrap();
        names.declare("b", 1, true).unwrap();
        names.declare("c", 2, false).unwrap();
        for name in ["c", "a", "c", "d"] {
            names.mention(name).unwrap();
        }
        assert_eq!(names.take_mentioned(), [0, 2]);
        assert_eq!(names.take_mentioned(), [0; 0]);
        assert_eq!(names.mention("b"), Ok(Known::Fresh(1)));
    }
}
