//! The flow of a scenario: its steps, and the control flow between them.
//!
//! A scenario is a program of [`Move`]s, played from the first to the end. Consecutive steps are
//! consecutive moves; conditions, loops and choices become jumps between them.

use std::sync::Arc;

use headcount_script::names::Slot;
use headcount_script::{Condition, Template};

use crate::fault::{Fault, FaultKind};
use crate::pace::Draw;
use crate::scripted::{Script, Scripted};
use crate::user::User;

/// One move of a scenario. Places are indices of moves; one past the last is the end.
#[derive(Debug)]
pub enum Move<S> {
    /// A step, with its index among the names of steps.
    Step(usize, S),
    /// The user thinks.
    Pause(Draw),
    /// A variable gets a value.
    Set(Slot, Template),
    /// Jumps to this place unless the condition holds.
    Unless(Condition, usize),
    /// Jumps to this place.
    Go(usize),
    /// Jumps to one of these places, drawn by the upper bounds of their shares in [0, 1].
    Choose(Box<[(f64, usize)]>),
    /// Sets this counter to a number of rounds, drawn uniformly between these bounds.
    Rounds(usize, u64, u64),
    /// Takes a round from this counter, or jumps to this place if none is left.
    Round(usize, usize),
    /// The scenario fails with this sentence.
    Fail(Box<str>),
    /// This Lua code decides what comes next.
    Script(Arc<Scripted>),
    /// The step that Lua code asked for has ended.
    Return,
    /// A transaction begins; it may be retried this many times.
    Enter(u32),
    /// It has ended.
    Leave,
}

/// A program of moves.
#[derive(Debug)]
pub struct Flow<S> {
    /// In order.
    pub moves: Box<[Move<S>]>,
    /// How many counters its loops need.
    pub counters: usize,
    /// The declared variables that are drawn before it.
    pub needed: Vec<u16>,
}

impl<S> Default for Flow<S> {
    fn default() -> Self {
        Self {
            moves: Box::default(),
            counters: 0,
            needed: Vec::new(),
        }
    }
}

impl<S> Flow<S> {
    /// Whether there is nothing to play.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Its steps, in their order.
    pub fn steps(&self) -> impl Iterator<Item = &S> {
        self.moves.iter().filter_map(|one| match one {
            Move::Step(_, step) => Some(step),
            _ => None,
        })
    }
}

/// Plays a move that is not a step; returns the place of the next.
pub(crate) async fn next_place<S>(
    one: &Move<S>,
    next: usize,
    rounds: &mut [u64],
    script: &mut Option<Box<Script>>,
    user: &mut User,
) -> Result<usize, Fault> {
    match one {
        Move::Step(..) | Move::Enter(_) | Move::Leave => {}
        Move::Pause(draw) => {
            let pause_ns = draw.draw_ns(user.stream());
            user.pause(pause_ns).await;
        }
        Move::Set(slot, template) => {
            let value = template.render(user.scope())?;
            user.scope().set(*slot, &value);
        }
        Move::Unless(condition, place) => {
            if !condition.holds(user.scope())? {
                return Ok(*place);
            }
        }
        Move::Go(place) => return Ok(*place),
        Move::Choose(places) => {
            let unit = user.stream().unit();
            let chosen = places.iter().find(|(bound, _)| unit < *bound);
            return Ok(chosen.or(places.last()).map_or(next, |(_, place)| *place));
        }
        Move::Rounds(counter, low, high) => {
            rounds[*counter] = low + user.stream().below(high - low + 1);
        }
        Move::Round(counter, place) => match rounds[*counter].checked_sub(1) {
            Some(left) => rounds[*counter] = left,
            None => return Ok(*place),
        },
        Move::Fail(sentence) => return Err(Fault::step(FaultKind::Refused, &**sentence)),
        Move::Script(scripted) => {
            return script.insert(Script::begin(scripted)?).go_on(user).await;
        }
        Move::Return => {
            if let Some(script) = script {
                return script.go_on(user).await;
            }
        }
    }
    Ok(next)
}
