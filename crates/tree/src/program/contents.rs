//! Finds the reads of a program whose contents are known: whole units that the same round of the
//! program wrote whole, and prepared files that are never written to.
//!
//! A program is the same in every round and for every user, so this is done once, before the run.
//! Other reads are not checked: bytes between units, and what an earlier round left.

use std::collections::{BTreeSet, HashMap};

use super::answer::Answer;
use super::operation::{Action, Operation, Wanted};
use super::{Path, Program};
use crate::block::UNIT_BYTES;
use crate::parts::How;

const UNIT: u64 = UNIT_BYTES as u64;
/// Numbers of files made by programs; below are those of the data set (group and index).
const MADE: u32 = 9 << 24;
/// The most units remembered of one file (4 GiB), which limits the memory that a hostile program
/// can make the analysis use.
const MOST_UNITS: usize = 1 << 20;

/// What is known of a file.
#[derive(Debug, Default)]
struct File {
    number: u32,
    /// Prepared, and not written to: every unit is known.
    is_prepared: bool,
    /// Units known to be whole.
    whole: BTreeSet<u64>,
}

/// What is known of a user's folder while the program is followed.
#[derive(Debug, Default)]
struct Knowledge {
    /// By path in lower case: names are case-insensitive.
    names: HashMap<String, usize>,
    files: Vec<File>,
    slots: Vec<Option<usize>>,
    made: u32,
}

/// Notes in each read and write the contents of its whole units.
pub fn note(program: &mut Program, prepared: impl Fn(&Path) -> Option<u32>) {
    let mut known = Knowledge {
        slots: vec![None; usize::from(program.slots)],
        ..Knowledge::default()
    };
    let keys: Vec<String> = program.paths.iter().map(key).collect();
    let entries: BTreeSet<u32> = program.entries.iter().copied().collect();
    for (at, operation) in program.operations.iter_mut().enumerate() {
        if entries.contains(&(at as u32)) {
            known.forget();
        }
        known.follow(operation, &program.paths, &keys, &prepared);
    }
}

fn key(path: &Path) -> String {
    let below = path.below.to_lowercase();
    if path.is_common {
        format!("\\{below}")
    } else {
        below
    }
}

/// The units that lie wholly in a range of a file.
fn units(offset: u64, bytes: u32) -> std::ops::Range<u64> {
    let (first, last) = (
        offset.div_ceil(UNIT),
        offset.saturating_add(bytes.into()) / UNIT,
    );
    first..last.max(first)
}

/// The units that a range of a file touches.
fn touched(offset: u64, bytes: u32) -> std::ops::Range<u64> {
    offset / UNIT..offset.saturating_add(bytes.into()).div_ceil(UNIT)
}

impl Knowledge {
    fn forget(&mut self) {
        self.names.clear();
        self.files.clear();
        self.slots.fill(None);
    }

    /// Follows one operation that is expected to succeed; others change nothing.
    fn follow(
        &mut self,
        operation: &mut Operation,
        paths: &[Path],
        keys: &[String],
        prepared: &impl Fn(&Path) -> Option<u32>,
    ) {
        if operation.expected != Answer::Done {
            return;
        }
        match &mut operation.action {
            Action::Open {
                path,
                slot,
                creation,
            } => {
                let at = *path as usize;
                let file = match self.names.get(&keys[at]) {
                    Some(file) => *file,
                    None => self.meet(&keys[at], prepared(&paths[at])),
                };
                let empties = !matches!(creation.how, How::Open | How::OpenOrCreate);
                if empties || creation.kind == Wanted::Folder {
                    self.files[file].whole.clear();
                    self.files[file].is_prepared = false;
                }
                self.slots[usize::from(*slot)] = Some(file);
            }
            Action::Close { slot } => self.slots[usize::from(*slot)] = None,
            Action::Read { slot, span, .. } => {
                if let Some(file) = self.slots[usize::from(*slot)] {
                    let file = &self.files[file];
                    let mut units = units(span.offset, span.bytes);
                    let known = !units.is_empty()
                        && units.all(|unit| file.is_prepared || file.whole.contains(&unit));
                    span.contents = if known { file.number } else { 0 };
                }
            }
            Action::Write { slot, span } => {
                if let Some(file) = self.slots[usize::from(*slot)] {
                    span.contents = self.write(file, span.offset, span.bytes);
                }
            }
            Action::Unlink { path } => drop(self.names.remove(&keys[*path as usize])),
            Action::Rename { path, to } => {
                let (from, to) = (&keys[*path as usize], &keys[*to as usize]);
                self.forget_below(from);
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Action::DeleteTree { path } => self.forget_below(&keys[*path as usize]),
            _ => {}
        }
    }

    fn forget_below(&mut self, folder: &str) {
        let below = format!("{folder}\\");
        self.names.retain(|name, _| !name.starts_with(&below));
    }

    fn meet(&mut self, name: &str, prepared: Option<u32>) -> usize {
        self.made = (self.made + 1) & 0x00FF_FFFF;
        self.files.push(File {
            number: prepared.unwrap_or(MADE | self.made),
            is_prepared: prepared.is_some(),
            whole: BTreeSet::new(),
        });
        self.names.insert(name.to_owned(), self.files.len() - 1);
        self.files.len() - 1
    }

    fn write(&mut self, file: usize, offset: u64, bytes: u32) -> u32 {
        let file = &mut self.files[file];
        let whole = units(offset, bytes);
        for unit in touched(offset, bytes).filter(|unit| !whole.contains(unit)) {
            file.whole.remove(&unit);
        }
        file.is_prepared = false; // only what is written from here on is known
        if file.whole.len() < MOST_UNITS {
            file.whole.extend(whole);
        }
        file.number
    }
}
