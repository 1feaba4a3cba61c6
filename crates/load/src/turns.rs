//! Users who follow a program: which scenario each of their turns is, instead of a draw by weight.

use serde::{Deserialize, Serialize};

use crate::plan_error::PlanError;

/// The turns of a program that all users follow in an endless loop, each from its own entry.
///
/// A program of hundreds of thousands of turns has a few kinds of turns. Each kind is a scenario of
/// the plan, and is counted and timed as one. A protocol may have a program of its own
/// ([`crate::Protocol::turns`]), or the plan may have one (`script`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// The kinds: names of scenarios.
    pub names: Vec<String>,
    /// The kind of each turn, by index in [`Turns::names`].
    pub order: Box<[u16]>,
    /// The turns at which users may begin, ascending: user `n` begins at entry `n` modulo their
    /// number.
    pub entries: Box<[u32]>,
}

impl Turns {
    /// How many turns there are.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.order.len() as u64
    }

    /// The turn (from 0) of a user's scenario with this number (from 1).
    #[must_use]
    pub fn turn(&self, user: u32, ordinal: u64) -> u32 {
        let entry = self.entries[user as usize % self.entries.len()];
        ((u64::from(entry) + ordinal.saturating_sub(1)) % self.order.len() as u64) as u32
    }

    /// The kinds of the turns from the previous entry up to the user's own, wrapping round the end:
    /// the loop that the user would just have played, had it always been there.
    pub fn loop_before(&self, user: u32) -> impl Iterator<Item = u16> {
        let (entries, turns) = (self.entries.len(), self.order.len());
        let index = user as usize % entries;
        let own = self.entries[index] as usize;
        let last = self.entries[(index + entries - 1) % entries] as usize;
        let length = (own + turns - last - 1) % turns + 1;
        (0..length).map(move |step| self.order[(last + step) % turns])
    }

    /// The same turns, with the indices of kinds replaced by those of the plan's scenarios.
    pub(crate) fn among<'a>(
        mut self,
        scenarios: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Self, PlanError> {
        let wrong = |what: &str, value: String, bounds: &str| PlanError::Bounds {
            what: what.into(),
            value,
            bounds: bounds.into(),
        };
        let turns = self.order.len();
        if !(1..=u32::MAX as usize).contains(&turns) {
            let bounds = "from 1 to 4294967295";
            return Err(wrong("the program's length", turns.to_string(), bounds));
        }
        let begins = self.entries.iter().all(|entry| (*entry as usize) < turns);
        if self.entries.is_empty() || !begins {
            let entries = format!("{:?}", self.entries);
            return Err(wrong(
                "the list of its entries",
                entries,
                "one or more of its turns",
            ));
        }
        let place = |name: &String| scenarios.clone().position(|scenario| scenario == name);
        let indices: Vec<_> = self.names.iter().map(place).collect();
        for kind in &mut self.order {
            // A kind that never occurs needs no scenario.
            *kind = match indices.get(usize::from(*kind)) {
                Some(Some(index)) => *index as u16,
                Some(None) => {
                    let name = self.names[usize::from(*kind)].clone();
                    let all: Vec<_> = scenarios.clone().collect();
                    let bounds = format!("the name of a scenario ({})", all.join(", "));
                    return Err(wrong("a turn of the program", name, &bounds));
                }
                None => {
                    let bounds = format!("below {}", indices.len());
                    return Err(wrong("the kind of a turn", kind.to_string(), &bounds));
                }
            };
        }
        self.names = scenarios.map(str::to_owned).collect();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(order: &[u16], entries: &[u32]) -> Turns {
        Turns {
            names: vec!["read".into(), "write".into()],
            order: order.into(),
            entries: entries.into(),
        }
    }

    #[test]
    fn users_loop_from_entries_of_their_own() {
        let program = turns(&[0, 1, 1, 0, 1], &[0, 3]);
        let of = |user| -> Vec<u32> { (1..=6).map(|n| program.turn(user, n)).collect() };
        assert_eq!(of(0), [0, 1, 2, 3, 4, 0]);
        assert_eq!(of(1), [3, 4, 0, 1, 2, 3]);
        assert_eq!(of(2), of(0));
        let before = |program: &Turns, user| program.loop_before(user).collect::<Vec<u16>>();
        assert_eq!(before(&program, 0), [0, 1]);
        assert_eq!(before(&program, 1), [0, 1, 1]);
        assert_eq!(before(&turns(&[0, 1, 1], &[1]), 0), [1, 1, 0]);
    }

    #[test]
    fn kinds_become_the_scenarios_of_the_plan() {
        let plan = ["write", "flush", "read"];
        let found = turns(&[0, 1, 0], &[0]).among(plan.into_iter()).unwrap();
        assert_eq!(&*found.order, [2, 0, 2]);
        let no_write = ["read"];
        assert!(turns(&[0], &[0]).among(no_write.into_iter()).is_ok());
        let sentence = |turns: Turns, plan: &[&str]| {
            let error = turns.among(plan.iter().copied()).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            sentence(turns(&[0, 1], &[0]), &["write", "flush"]),
            "a turn of the program is read; it must be the name of a scenario (write, flush)"
        );
        assert!(sentence(turns(&[], &[0]), &plan).starts_with("the program's length is 0"));
        assert!(sentence(turns(&[0], &[1]), &plan).starts_with("the list of its entries is [1]"));
        assert!(sentence(turns(&[0], &[]), &plan).starts_with("the list of its entries is []"));
        assert!(sentence(turns(&[2], &[0]), &plan).starts_with("the kind of a turn is 2"));
    }
}
