//! The transaction that a user plays, as the flow of its scenario goes.

use crate::flow::Move;

/// The transaction under way, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    /// The move that begins it.
    pub(crate) place: usize,
    /// How often it may be played again; none outside of transactions.
    pub(crate) left: u32,
}

impl Attempt {
    /// A move is made; `place` is that of the next.
    pub(crate) const fn follow<S>(&mut self, one: &Move<S>, place: usize) {
        match one {
            Move::Enter(retries) => (self.place, self.left) = (place, *retries),
            Move::Leave => self.left = 0,
            _ => {}
        }
    }
}
