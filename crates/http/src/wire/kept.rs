//! A body that is kept whole.

/// A body that is kept whole, up to a limit.
#[derive(Debug, Default)]
pub struct Kept {
    body: Vec<u8>,
    most_bytes: usize,
    is_too_long: bool,
}

impl Kept {
    /// An empty body that keeps at most `most_bytes`.
    #[must_use]
    pub fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            ..Self::default()
        }
    }

    /// What has come so far; empty once it is too long.
    #[must_use]
    pub fn so_far(&self) -> &[u8] {
        &self.body
    }

    /// Takes out what has come since the last call.
    pub fn drain(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    /// The whole body; `None` if it was too long.
    #[must_use]
    pub fn whole(self) -> Option<Vec<u8>> {
        (!self.is_too_long).then_some(self.body)
    }

    /// Appends the next bytes.
    pub fn take(&mut self, data: &[u8]) {
        if self.body.len() + data.len() > self.most_bytes {
            self.is_too_long = true;
            self.body = Vec::new();
        } else if !self.is_too_long {
            self.body.extend_from_slice(data);
        }
    }
}
