//! The transaction that a user is in, while the flow of its scenario is played.

use crate::flow::Move;

/// The transaction under way, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    /// The move that begins it.
    pub(crate) place: usize,
    /// Retries left; 0 outside transactions.
    pub(crate) left: u32,
}

impl Attempt {
    /// Notes a move; `place` is that of the next one.
    pub(crate) const fn follow<S>(&mut self, one: &Move<S>, place: usize) {
        match one {
            Move::Enter(retries) => (self.place, self.left) = (place, *retries),
            Move::Leave => self.left = 0,
            _ => {}
        }
    }
}
