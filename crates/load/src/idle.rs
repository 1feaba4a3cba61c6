//! Time of a scenario in which its user wanted nothing of the server but news.

/// Time of the scenario under way in which the user wanted nothing of the server but news.
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

    /// It begins, unless it lasts already.
    pub fn begun(self, now_ns: impl FnOnce() -> u64) -> Self {
        Self {
            since_ns: Some(self.since_ns.unwrap_or_else(now_ns)),
            ..self
        }
    }

    /// It ends. The clock is looked at only if it has begun.
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
