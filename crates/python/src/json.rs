//! Figures on their way to Python.

use serde::Serialize;

/// The JSON of plain figures.
pub fn json(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "plain structs of numbers and strings")]
    serde_json::to_string(value).expect("plain figures have a JSON form")
}
