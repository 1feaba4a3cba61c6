//! Pauses, in which the server stands still.

use std::collections::VecDeque;

use serde::Deserialize;

use crate::draw::Draw;

/// How far ahead pauses are planned at a time, seconds.
const AHEAD_S: f64 = 600.0;

/// Recurring pauses, during which no service makes progress.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pauses {
    /// At a fixed period; the phase is random.
    Every {
        /// From start to start, seconds.
        period_s: f64,
        /// Seconds.
        length_s: f64,
    },
    /// At random, with exponential gaps and uniform lengths.
    Random {
        /// Mean time between two, seconds.
        gap_s: f64,
        /// Shortest, seconds.
        least_s: f64,
        /// Longest, seconds.
        most_s: f64,
    },
}

/// The pauses of one server, in order; a clock of the time between them.
///
/// Times must be asked for in order.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    sources: Vec<Source>,
    /// Start and end of pauses that are not over yet; they do not overlap.
    ahead: VecDeque<(f64, f64)>,
    /// The time up to which they are planned.
    until_s: f64,
    /// Total length of past pauses.
    over_s: f64,
}

#[derive(Debug, Clone)]
struct Source {
    pauses: Pauses,
    next_s: f64,
}

impl Timeline {
    pub(crate) fn new(pauses: &[Pauses], draw: &mut Draw) -> Self {
        let sources = pauses.iter().map(|pauses| Source {
            next_s: match pauses {
                Pauses::Every { period_s, .. } => draw.uniform() * period_s,
                Pauses::Random { gap_s, .. } => draw.exponential() * gap_s,
            },
            pauses: pauses.clone(),
        });
        Self {
            sources: sources.collect(),
            ahead: VecDeque::new(),
            until_s: 0.0,
            over_s: 0.0,
        }
    }

    /// Adds one pause in the future.
    pub(crate) fn add(&mut self, start_s: f64, length_s: f64) {
        self.ahead.push_back((start_s, start_s + length_s));
        self.merge();
    }

    /// When work of `work_s` seconds that starts at `start_s` ends, with the pauses in between.
    pub(crate) fn end_of(&mut self, start_s: f64, work_s: f64, draw: &mut Draw) -> f64 {
        self.lay_out(start_s, draw);
        self.forget(start_s);
        let (mut now_s, mut left_s, mut index) = (start_s, work_s, 0);
        loop {
            self.lay_out(now_s + left_s, draw);
            let Some(&(from_s, to_s)) = self.ahead.get(index) else {
                return now_s + left_s;
            };
            if from_s >= now_s + left_s {
                return now_s + left_s;
            }
            left_s -= (from_s - now_s).max(0.0);
            now_s = to_s;
            index += 1;
        }
    }

    /// Seconds up to `now_s` in which the server did not stand still.
    pub(crate) fn active_s(&mut self, now_s: f64, draw: &mut Draw) -> f64 {
        self.lay_out(now_s, draw);
        self.forget(now_s);
        let paused_s = self.ahead.front().map_or(0.0, |pause| now_s - pause.0);
        now_s - self.over_s - paused_s.max(0.0)
    }

    fn forget(&mut self, now_s: f64) {
        while let Some(&(from_s, to_s)) = self.ahead.front()
            && to_s <= now_s
        {
            self.over_s += to_s - from_s;
            self.ahead.pop_front();
        }
    }

    fn lay_out(&mut self, until_s: f64, draw: &mut Draw) {
        if self.sources.is_empty() || until_s < self.until_s {
            return;
        }
        self.until_s = until_s + AHEAD_S;
        for source in &mut self.sources {
            while source.next_s < self.until_s {
                let (length_s, gap_s) = match source.pauses {
                    Pauses::Every { period_s, length_s } => (length_s, period_s - length_s),
                    Pauses::Random {
                        gap_s,
                        least_s,
                        most_s,
                    } => {
                        let length_s = least_s + (most_s - least_s) * draw.uniform();
                        (length_s, gap_s * draw.exponential())
                    }
                };
                let end_s = source.next_s + length_s;
                self.ahead.push_back((source.next_s, end_s));
                source.next_s = end_s + gap_s;
            }
        }
        self.merge();
    }

    /// Sorts the pauses, and merges those that overlap.
    fn merge(&mut self) {
        self.ahead
            .make_contiguous()
            .sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut merged: VecDeque<(f64, f64)> = VecDeque::new();
        for pause in self.ahead.drain(..) {
            match merged.back_mut() {
                Some(last) if pause.0 <= last.1 => last.1 = last.1.max(pause.1),
                _ => merged.push_back(pause),
            }
        }
        self.ahead = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::{Pauses, Timeline};
    use crate::draw::Draw;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    fn every_ten() -> Timeline {
        let every = Pauses::Every {
            period_s: 10.0,
            length_s: 2.0,
        };
        let mut timeline = Timeline::new(&[every], &mut Draw::seeded(1));
        timeline.sources[0].next_s = 0.0;
        timeline
    }

    #[test]
    fn a_pause_delays_what_runs_into_it() {
        let mut draw = Draw::seeded(1);
        let mut timeline = every_ten();
        close(timeline.end_of(5.0, 1.0, &mut draw), 6.0);
        close(timeline.end_of(9.0, 10.0, &mut draw), 23.0);
        close(timeline.end_of(9.5, 1.0, &mut draw), 12.5);
        close(timeline.end_of(10.5, 1.0, &mut draw), 13.0);
    }

    #[test]
    fn the_active_clock_stands_still_in_pauses() {
        let mut draw = Draw::seeded(1);
        let mut timeline = every_ten();
        close(timeline.active_s(1.0, &mut draw), 0.0);
        close(timeline.active_s(5.0, &mut draw), 3.0);
        close(timeline.active_s(11.0, &mut draw), 8.0);
        close(timeline.active_s(30.0, &mut draw), 24.0);
        close(timeline.active_s(10_000.0, &mut draw), 8_000.0);
    }

    #[test]
    fn a_single_pause_joins_one_that_it_overlaps() {
        let mut draw = Draw::seeded(1);
        let mut timeline = every_ten();
        timeline.lay_out(50.0, &mut draw);
        timeline.add(11.0, 5.0);
        close(timeline.end_of(9.5, 1.0, &mut draw), 16.5);
    }
}
