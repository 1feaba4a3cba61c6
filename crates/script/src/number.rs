//! Numbers as JSON writes them.

use std::cmp::Ordering;

use serde_json::Number;

/// The number that a text holds; `None` if it is something else.
pub(crate) fn as_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let _: Number = serde_json::from_str(text).ok()?;
    text.parse().ok() // exact to the last bit, unlike serde_json
}

/// How two numbers compare. Integers are compared exactly, because identifiers may have more digits
/// than a float. `None` if one is not a number.
pub(crate) fn order(left: &str, right: &str) -> Option<Ordering> {
    let (real_left, real_right) = (as_number(left)?, as_number(right)?);
    let whole = |text: &str| text.trim().parse::<i128>().ok();
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => real_left.partial_cmp(&real_right),
    }
}

/// A whole number between two others, both included, as random bits decide: all are equally likely.
pub(crate) fn between(low: i64, high: i64, bits: u64) -> i64 {
    let numbers = u128::from(high.abs_diff(low)) + 1;
    let drawn = (u128::from(bits) * numbers) >> 64;
    low.wrapping_add_unsigned(drawn as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for (left, right, expected) in [
            ("1.50", "1.5", Some(Ordering::Equal)),
            ("-0", "0", Some(Ordering::Equal)),
            ("0.0", "0", Some(Ordering::Equal)),
            (" 7\n", "7", Some(Ordering::Equal)),
            ("1e3", "1000", Some(Ordering::Equal)),
            (
                "9007199254740993",
                "9007199254740992",
                Some(Ordering::Greater),
            ),
            ("many", "1", None),
            ("007", "7", None),
            ("", "", None),
            ("NaN", "NaN", None),
        ] {
            assert_eq!(order(left, right), expected, "{left:?} {right:?}");
        }
    }

    #[test]
    fn drawn_numbers_reach_both_ends_of_their_range() {
        for (low, high) in [(i64::MIN, i64::MAX), (-1, i64::MAX), (3, 3)] {
            assert_eq!(between(low, high, 0), low);
            assert_eq!(between(low, high, u64::MAX), high);
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_compare_exactly(left: i64, right: i64, near in -2_i64..=2) {
            for right in [right, left.saturating_add(near)] {
                let found = order(&left.to_string(), &right.to_string());
                prop_assert_eq!(found, Some(left.cmp(&right)));
            }
        }

        #[test]
        fn real_numbers_compare_however_they_are_written(left in -1e9_f64..1e9, right in -1e9_f64..1e9) {
            for text in [left.to_string(), format!("{left:e}")] {
                prop_assert_eq!(order(&text, &right.to_string()), left.partial_cmp(&right));
                prop_assert_eq!(order(&text, &left.to_string()), Some(Ordering::Equal));
            }
        }

        #[test]
        fn any_text_can_be_compared(left: String, right: String) {
            let _ = order(&left, &right);
        }
    }
}
