//! The time within a scenario in which its user only waited for news from the server.

/// Idle time of the scenario under way: its user only waits for news from the server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Idle {
    passed_ns: u64,
    since_ns: Option<u64>,
}

impl Idle {
    /// All of it until now.
    pub fn until(self, now_ns: u64) -> u64 {
        let lasting_ns = self
            .since_ns
            .map_or(0, |since_ns| now_ns.saturating_sub(since_ns));
        self.passed_ns + lasting_ns
    }

    /// Idle from now on, unless it already is.
    pub fn begun(self, now_ns: impl FnOnce() -> u64) -> Self {
        Self {
            since_ns: Some(self.since_ns.unwrap_or_else(now_ns)),
            ..self
        }
    }

    /// Idle no longer. The clock is read only if it was idle.
    pub fn ended(self, now_ns: impl FnOnce() -> u64) -> Self {
        if self.since_ns.is_none() {
            return self;
        }
        Self {
            passed_ns: self.until(now_ns()),
            since_ns: None,
        }
    }
}
