//! What a user has open.

use headcount_load::{Fault, FaultKind};

use crate::data_set::Place;
use crate::session::backend::Opening;
use crate::slot::SLOTS;

/// One open file or folder of a user.
#[derive(Debug)]
pub(super) struct Handle<F> {
    pub file: F,
    /// Its place in the data set; None for a path given by the workload.
    pub place: Option<Place>,
    /// How it was opened.
    pub opening: Opening,
    /// Whether its user has locked a part of it, or marked it for deletion: reopening the file
    /// would lose either.
    pub is_bound: bool,
    /// Where the next sequential read or write starts.
    pub position: u64,
    pub end_of_file: u64,
}

/// The part of a write under way that the server has acknowledged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acknowledged {
    pub slot: u8,
    /// The first byte.
    pub from: u64,
    /// The first byte that is not acknowledged.
    pub to: u64,
}

/// A user's handles, by slot.
#[derive(Debug)]
pub(super) struct Handles<F>([Option<Handle<F>>; SLOTS]);

impl<F> Handles<F> {
    /// Nothing is open.
    pub const fn new() -> Self {
        Self([const { None }; SLOTS])
    }

    /// The handle in a slot.
    pub fn get(&mut self, slot: u8) -> Result<&mut Handle<F>, Fault> {
        self.0[usize::from(slot)].as_mut().ok_or_else(|| {
            let sentence = format!("slot {slot} holds no open file: open one first");
            Fault::step(FaultKind::Refused, sentence)
        })
    }

    /// The handle in a slot, if there is one.
    pub fn held(&mut self, slot: u8) -> Option<&mut Handle<F>> {
        self.0[usize::from(slot)].as_mut()
    }

    /// Empties a slot.
    pub const fn take(&mut self, slot: u8) -> Option<Handle<F>> {
        self.0[slot as usize].take()
    }

    /// Fills a slot.
    pub fn put(&mut self, slot: u8, handle: Handle<F>) {
        self.0[usize::from(slot)] = Some(handle);
    }

    /// Empties all slots, one after the other.
    pub fn drain(&mut self) -> impl Iterator<Item = F> {
        let held = self.0.iter_mut().filter_map(Option::take);
        held.map(|handle| handle.file)
    }
}
