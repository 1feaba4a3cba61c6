//! Counts of a program's operations and bytes.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Program;
use super::answer::Answer;
use super::operation::Action;

/// A program's operations and bytes, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Operations of each kind that occurs, by dbench's words.
    pub operations: BTreeMap<&'static str, u64>,
    /// Of those, operations that are expected to be refused.
    pub refused: BTreeMap<&'static str, u64>,
    /// Bytes that are read.
    pub read_bytes: u64,
    /// Of those, bytes in reads whose contents are checked.
    pub checked_bytes: u64,
    /// Bytes that are written.
    pub written_bytes: u64,
    /// Files that are open at a time, at most.
    pub open_files: u16,
}

impl Facts {
    /// Counts a program.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let mut facts = Self {
            operations: BTreeMap::new(),
            refused: BTreeMap::new(),
            read_bytes: 0,
            checked_bytes: 0,
            written_bytes: 0,
            open_files: program.slots,
        };
        for operation in &program.operations {
            let name = operation.action.kind().name();
            *facts.operations.entry(name).or_default() += 1;
            if operation.expected != Answer::Done {
                *facts.refused.entry(name).or_default() += 1;
                continue;
            }
            match operation.action {
                Action::Read { span, returned, .. } => {
                    facts.read_bytes += u64::from(returned);
                    if span.contents != 0 {
                        facts.checked_bytes += u64::from(returned);
                    }
                }
                Action::Write { span, .. } => facts.written_bytes += u64::from(span.bytes),
                _ => {}
            }
        }
        facts
    }
}
