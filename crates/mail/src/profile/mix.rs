//! What messages consist of.

use headcount_load::stream::Stream;
use serde::{Deserialize, Serialize};

/// The largest text or attachment: larger than servers accept by default.
pub const MOST_BYTES: u32 = 256 << 20;

/// One kind of message of a mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixRow {
    /// How often, relative to the other rows.
    pub weight: f64,
    /// Bytes of its text.
    pub text_bytes: u32,
    /// Bytes of the attachment, before it is encoded; 0 for none.
    #[serde(default)]
    pub attached_bytes: u32,
    /// The kind of attachment.
    #[serde(default)]
    pub attached: Attachment,
}

/// What an attachment claims to be. Its contents are generated all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachment {
    /// A text.
    #[default]
    Text,
    /// A spreadsheet.
    Excel,
    /// A document.
    Word,
    /// A picture, embedded in the message.
    Bitmap,
    /// Anything.
    Binary,
}

impl MixRow {
    /// Text alone.
    #[must_use]
    pub const fn text(text_bytes: u32) -> Self {
        Self {
            weight: 1.0,
            text_bytes,
            attached_bytes: 0,
            attached: Attachment::Text,
        }
    }

    /// Bytes of text and attachment, before anything is encoded.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.text_bytes as u64 + self.attached_bytes as u64
    }
}

/// Draws a row by the weights.
///
/// # Panics
///
/// If there are no rows, which [`check`] refuses.
#[must_use]
pub fn draw(mix: &[MixRow], stream: &mut Stream) -> MixRow {
    let total: f64 = mix.iter().map(|row| row.weight).sum();
    let mut left = stream.unit() * total;
    for row in mix {
        left -= row.weight;
        if left < 0.0 {
            return *row;
        }
    }
    mix[mix.len() - 1]
}

/// The mean of [`MixRow::bytes`].
#[must_use]
pub fn mean_bytes(mix: &[MixRow]) -> f64 {
    let total: f64 = mix.iter().map(|row| row.weight).sum();
    let bytes: f64 = mix.iter().map(|row| row.weight * row.bytes() as f64).sum();
    bytes / total
}

/// Checks that rows can be drawn from the mix. The error is a sentence.
pub fn check(mix: &[MixRow]) -> Result<(), String> {
    if mix.is_empty() {
        return Err("mix needs at least one row, as in {weight = 1, text_bytes = 1024}".into());
    }
    for row in mix {
        if !(row.weight > 0.0 && row.weight.is_finite()) {
            let weight = row.weight;
            return Err(format!(
                "the weight of a row of the mix must be above 0; it is {weight}"
            ));
        }
        if row.text_bytes.max(row.attached_bytes) > MOST_BYTES {
            return Err(format!(
                "text_bytes and attached_bytes of the mix must be from 0 to {MOST_BYTES}; they are \
                 {} and {}",
                row.text_bytes, row.attached_bytes
            ));
        }
    }
    Ok(())
}
