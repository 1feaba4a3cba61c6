//! Puts a program together: paths and masks by index, open files by slot.

use std::collections::HashMap;

use super::operation::Operation;
use super::{Path, Program, contents};

/// The most files open at a time; a load file with more has lost its `Close` lines.
pub const MOST_SLOTS: usize = 4096;

/// A program being built.
#[derive(Debug, Default)]
pub struct Builder {
    operations: Vec<Operation>,
    paths: Vec<Path>,
    path_numbers: HashMap<(Box<str>, bool), u32>,
    masks: Vec<Box<str>>,
    mask_numbers: HashMap<Box<str>, u32>,
    entries: Vec<u32>,
    folders: Vec<Box<str>>,
    slots: Vec<bool>,
}

impl Builder {
    /// The number of a path, known or new.
    pub fn path(&mut self, below: &str, is_common: bool) -> u32 {
        if let Some(number) = self.path_numbers.get(&(Box::from(below), is_common)) {
            return *number;
        }
        let number = self.paths.len() as u32;
        self.path_numbers.insert((below.into(), is_common), number);
        self.paths.push(Path {
            below: below.into(),
            is_common,
        });
        number
    }

    /// The number of a mask, known or new.
    pub fn mask(&mut self, mask: &str) -> u32 {
        if let Some(number) = self.mask_numbers.get(mask) {
            return *number;
        }
        let number = self.masks.len() as u32;
        self.mask_numbers.insert(mask.into(), number);
        self.masks.push(mask.into());
        number
    }

    /// Takes a free slot; None if too many are taken.
    pub fn take_slot(&mut self) -> Option<u16> {
        if let Some(free) = self.slots.iter().position(|taken| !taken) {
            self.slots[free] = true;
            return Some(free as u16);
        }
        if self.slots.len() == MOST_SLOTS {
            return None;
        }
        self.slots.push(true);
        Some(self.slots.len() as u16 - 1)
    }

    /// Gives a slot back.
    pub fn free_slot(&mut self, slot: u16) {
        if let Some(taken) = self.slots.get_mut(usize::from(slot)) {
            *taken = false;
        }
    }

    /// Adds a folder that exists before the program begins.
    pub fn folder(&mut self, below: &str) {
        self.folders.push(below.into());
    }

    /// Marks a place where users may begin.
    pub fn entry(&mut self) {
        self.entries.push(self.operations.len() as u32);
    }

    /// Adds an operation.
    pub fn push(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// How many operations there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The program, with known contents noted in its reads and writes. `prepared` returns the file
    /// of the data set at a path.
    #[must_use]
    pub fn build(self, prepared: impl Fn(&Path) -> Option<u32>) -> Program {
        let mut program = Program {
            operations: self.operations.into(),
            paths: self.paths.into(),
            masks: self.masks.into(),
            entries: self.entries.into(),
            folders: self.folders.into(),
            slots: self.slots.len() as u16,
            counts: "line",
        };
        contents::note(&mut program, prepared);
        program
    }
}
