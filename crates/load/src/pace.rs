//! When a user's scenarios are due.

use serde::{Deserialize, Serialize};

use crate::stream::{Purpose, Stream};

/// How a user's scenarios follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "pace", rename_all = "lowercase", deny_unknown_fields)]
pub enum Pace {
    /// The next scenario is due a think time after the last one ended. The population really
    /// waits for the server, so nothing is omitted.
    Closed {
        /// The think time.
        think: Draw,
    },
    /// Scenarios are due on a schedule that does not depend on the server's answers. A scenario
    /// whose user is still busy with an earlier one starts late, and its response time includes
    /// that.
    Open {
        /// The time from one due moment to the next: fixed, uniform, or exponential (Poisson).
        every: Draw,
    },
}

/// A distribution of a duration, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "draw", rename_all = "lowercase", deny_unknown_fields)]
pub enum Draw {
    /// Always the same.
    Fixed {
        /// The duration.
        s: f64,
    },
    /// Uniform between two bounds.
    Uniform {
        /// The least.
        low_s: f64,
        /// The greatest.
        high_s: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean_s: f64,
    },
}

impl Draw {
    /// The mean of the distribution, in seconds.
    #[must_use]
    pub fn mean_s(self) -> f64 {
        match self {
            Self::Fixed { s } => s,
            Self::Uniform { low_s, high_s } => f64::midpoint(low_s, high_s),
            Self::Exponential { mean_s } => mean_s,
        }
    }

    /// Whether every bound is finite, not negative and in order.
    #[must_use]
    pub fn is_valid(self) -> bool {
        let valid = |s: f64| s.is_finite() && (0.0..=MAX_DRAW_S).contains(&s);
        match self {
            Self::Fixed { s } => valid(s),
            Self::Uniform { low_s, high_s } => valid(low_s) && valid(high_s) && low_s <= high_s,
            Self::Exponential { mean_s } => valid(mean_s),
        }
    }

    /// Draws a duration, in ns.
    pub fn draw_ns(self, stream: &mut Stream) -> u64 {
        let seconds = match self {
            Self::Fixed { s } => s,
            Self::Uniform { low_s, high_s } => low_s + stream.unit() * (high_s - low_s),
            Self::Exponential { mean_s } => stream.exponential(mean_s),
        };
        (seconds * 1e9) as u64
    }
}

/// A day: no pace of a workload is longer, and every sum of draws stays far from overflow.
const MAX_DRAW_S: f64 = 86_400.0;

/// One user's schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    pace: Pace,
    stream: Stream,
    due_ns: u64,
}

impl Schedule {
    /// The schedule of `user`, who joins at `joined_ns`.
    ///
    /// The first scenario is due after a random part of an interval (or a whole draw where the
    /// distribution has no memory), so that users who join together do not stay in step. The
    /// interval is the pace's, or `before`: the whole loop of a script, so that its users are
    /// spread evenly over it.
    #[must_use]
    pub fn new(pace: Pace, before: Option<Draw>, seed: u64, user: u32, joined_ns: u64) -> Self {
        let mut stream = Stream::new(seed, Purpose::Pace, user, 0);
        let (Pace::Closed { think: usual } | Pace::Open { every: usual }) = pace;
        let draw = before.unwrap_or(usual);
        let first_ns = match draw {
            Draw::Exponential { .. } => draw.draw_ns(&mut stream),
            Draw::Fixed { .. } | Draw::Uniform { .. } => {
                let whole_ns = draw.draw_ns(&mut stream);
                (stream.unit() * whole_ns as f64) as u64
            }
        };
        Self {
            pace,
            stream,
            due_ns: joined_ns + first_ns,
        }
    }

    /// When the next scenario is due.
    #[must_use]
    pub const fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Schedules the next scenario, after one that ended at `ended_ns`.
    ///
    /// Returns the pause drawn: the think time of a closed pace, for which `pause` stands in if there
    /// is one, or the interval of an open pace.
    pub fn advance(&mut self, ended_ns: u64, pause: Option<Draw>) -> u64 {
        match self.pace {
            Pace::Closed { think } => {
                let think_ns = pause.unwrap_or(think).draw_ns(&mut self.stream);
                self.due_ns = ended_ns + think_ns;
                think_ns
            }
            Pace::Open { every } => {
                let interval_ns = every.draw_ns(&mut self.stream);
                self.due_ns += interval_ns;
                interval_ns
            }
        }
    }

    /// Delays the next scenario of a closed pace until at least `least_ns` after `ended_ns`;
    /// returns the pause from there. The schedule of an open pace does not change: its scenarios
    /// stay due.
    pub fn rest(&mut self, ended_ns: u64, least_ns: u64) -> u64 {
        if let Pace::Closed { .. } = self.pace {
            self.due_ns = self.due_ns.max(ended_ns + least_ns);
        }
        self.due_ns.saturating_sub(ended_ns)
    }

    /// Calls `visit` with the due moment of each scenario, after the one being played, that has
    /// fallen due by `now_ns` and waits for its user. None with a closed pace; at most 10,000.
    pub fn backlog(&self, now_ns: u64, mut visit: impl FnMut(u64)) {
        let Pace::Open { every } = self.pace else {
            return;
        };
        // A clone looks ahead: the schedule itself must draw the same numbers later.
        let mut stream = self.stream.clone();
        let mut due_ns = self.due_ns + every.draw_ns(&mut stream);
        for _ in 0..MAX_BACKLOG {
            if due_ns > now_ns {
                break;
            }
            visit(due_ns);
            due_ns += every.draw_ns(&mut stream).max(1);
        }
    }
}

/// Bounds the look-ahead for a user whose server has been dead for hours.
const MAX_BACKLOG: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn closed_waits_for_the_end_and_open_does_not() {
        let think = Draw::Fixed { s: 2.0 };
        let mut closed = Schedule::new(Pace::Closed { think }, None, 1, 0, 0);
        closed.advance(10 * SECOND, None);
        assert_eq!(closed.due_ns(), 12 * SECOND);
        closed.advance(12 * SECOND, Some(Draw::Fixed { s: 5.0 }));
        assert_eq!(closed.due_ns(), 17 * SECOND);

        let mut open = Schedule::new(Pace::Open { every: think }, None, 1, 0, 0);
        let first = open.due_ns();
        assert!(first < 2 * SECOND);
        open.advance(10 * SECOND, None);
        assert_eq!(open.due_ns(), first + 2 * SECOND);
    }

    #[test]
    fn an_open_schedule_is_the_same_however_late_its_user_is() {
        let pace = Pace::Open {
            every: Draw::Exponential { mean_s: 1.0 },
        };
        let dues = |late_ns: u64| -> Vec<u64> {
            let mut schedule = Schedule::new(pace, None, 9, 4, 0);
            (0..50)
                .map(|_| {
                    let due = schedule.due_ns();
                    schedule.advance(due + late_ns, None);
                    due
                })
                .collect()
        };
        assert_eq!(dues(0), dues(5 * SECOND));
    }

    #[test]
    fn the_backlog_matches_the_later_due_times() {
        let pace = Pace::Open {
            every: Draw::Uniform {
                low_s: 0.5,
                high_s: 1.5,
            },
        };
        let schedule = Schedule::new(pace, None, 3, 1, 0);
        let now = 60 * SECOND;
        let mut backlog = Vec::new();
        schedule.backlog(now, |due_ns| backlog.push(due_ns));
        let mut ahead = schedule.clone();
        let mut expected = Vec::new();
        loop {
            ahead.advance(0, None);
            if ahead.due_ns() > now {
                break;
            }
            expected.push(ahead.due_ns());
        }
        assert_eq!(backlog, expected);
        assert!(expected.len() > 40);
    }
}
