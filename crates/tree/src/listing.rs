//! How a folder is listed.

use headcount_script::Entry;
use serde::Deserialize;

use crate::looks::Looks;
use crate::slot::check_slot;
use crate::text::Text;

/// How an open folder is listed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The handle.
    #[serde(default)]
    pub slot: u8,
    /// Only names like this: `*` and `?` stand for others.
    #[serde(default = "everything")]
    pub pattern: Text,
    /// Only the first answer: all that a client asks for when it looks for one name.
    #[serde(default)]
    pub once: bool,
    /// The order in which captures and checks see the entries; by name by default.
    #[serde(default)]
    pub sort: Option<Sort>,
    /// Whether they see only files or only folders.
    #[serde(default)]
    pub only: Option<Only>,
    /// Its captures and checks.
    #[serde(skip)]
    pub looks: Looks,
}

/// The order of what is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Sort {
    /// By name.
    #[default]
    Name,
    /// By size, smallest first.
    Size,
    /// By time of the last write, latest last.
    Modified,
}

/// Which entries of a listing are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Only {
    /// Files.
    Files,
    /// Folders.
    Folders,
}

fn everything() -> Text {
    Text::from("*".to_owned())
}

impl List {
    pub(crate) fn check(&self) -> Result<(), String> {
        check_slot(self.slot)?;
        for (key, is_given) in [("sort", self.sort.is_some()), ("only", self.only.is_some())] {
            if is_given && self.looks.is_empty() {
                return Err(format!(
                    "{key} changes only what capture and check see; give one of them, too"
                ));
            }
        }
        Ok(())
    }

    /// Whether more than the names of files is needed.
    pub(crate) fn needs_attributes(&self) -> bool {
        matches!(self.sort, Some(Sort::Size | Sort::Modified)) || self.looks.needs_attributes()
    }

    /// Keeps the entries that are seen, in order. Names break ties.
    pub(crate) fn arrange(&self, entries: &mut Vec<Entry>) {
        entries.retain(|entry| match self.only {
            None => true,
            Some(Only::Files) => !entry.is_folder,
            Some(Only::Folders) => entry.is_folder,
        });
        entries.sort_unstable_by(|one, other| {
            let first = match self.sort.unwrap_or_default() {
                Sort::Name => return one.name.cmp(&other.name),
                Sort::Size => one.size.cmp(&other.size),
                Sort::Modified => one.modified_ns.cmp(&other.modified_ns),
            };
            first.then_with(|| one.name.cmp(&other.name))
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn arranged(options: &Value) -> String {
        let list = List::deserialize(options).unwrap();
        let entry = |name: &str, is_folder, size, modified_ns| Entry {
            name: name.to_owned(),
            is_folder,
            size: Some(size),
            modified_ns: Some(modified_ns),
        };
        let mut entries = vec![
            entry("c", false, 1, 5),
            entry("a", false, 9, 5),
            entry("d", true, 0, 9),
            entry("b", false, 4, 7),
        ];
        list.arrange(&mut entries);
        entries.into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn listings_are_sorted_and_filtered() {
        assert_eq!(arranged(&json!({})), "abcd");
        assert_eq!(arranged(&json!({"sort": "size"})), "dcba");
        assert_eq!(arranged(&json!({"sort": "modified"})), "acbd");
        let files = json!({"sort": "modified", "only": "files"});
        assert_eq!(arranged(&files), "acb");
        assert_eq!(arranged(&json!({"only": "folders"})), "d");
    }
}
