//! Values in messages.

/// How much of a value messages show, in bytes.
pub const MOST_SHOWN: usize = 60;

/// The last character boundary up to `at`.
pub fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// A value in quotes, cut if it is long.
pub fn quoted(value: &str) -> String {
    if value.len() <= MOST_SHOWN {
        return format!("\"{}\"", value.escape_debug());
    }
    let end = boundary(value, MOST_SHOWN);
    format!("\"{}...\"", value[..end].escape_debug())
}
