//! Which line a user is on, where groups of users reach the server over lines of their own.

use crate::plan_error::PlanError;

/// Lines that a plan may have.
const MOST_LINES: usize = 64;
/// The golden ratio less 1, as a fraction of 2^64.
///
/// No number's multiples fill the unit interval more evenly, and every n-th of them fills it evenly
/// too: a worker that plays every n-th user has its share of each line.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// The rounding error of a sum of shares that should be 1.
const ROUNDING: f64 = 1e-9;

/// Whether there can be lines with these shares of the users.
pub fn check_shares(shares: &[f64]) -> Result<(), PlanError> {
    let wrong = |what: &str, value: String, bounds: &str| PlanError::Bounds {
        what: what.into(),
        value,
        bounds: bounds.into(),
    };
    if shares.len() > MOST_LINES {
        let bounds = format!("at most {MOST_LINES}");
        return Err(wrong(
            "the number of lines",
            shares.len().to_string(),
            &bounds,
        ));
    }
    if let Some(share) = shares.iter().find(|one| !(**one > 0.0 && **one <= 1.0)) {
        return Err(wrong(
            "the share of a line",
            share.to_string(),
            "above 0, to 1",
        ));
    }
    let sum: f64 = shares.iter().sum();
    if sum > 1.0 + ROUNDING {
        return Err(wrong(
            "the sum of the lines' shares",
            sum.to_string(),
            "at most 1",
        ));
    }
    Ok(())
}

/// The line of the user with this number (0-based): 1 is that of the first share; 0 is none.
///
/// It depends only on the number and the shares, so a user is on the same line wherever it is
/// played. Of the first n users, for every n, each line has its share within three users.
#[must_use]
pub fn line_of(user: u32, shares: &[f64]) -> usize {
    if shares.is_empty() {
        return 0;
    }
    let place = u64::from(user).wrapping_mul(STEP).wrapping_add(1 << 63);
    let place = (place >> 11) as f64 / (1_u64 << 53) as f64;
    let mut sum = 0.0;
    for (index, share) in shares.iter().enumerate() {
        sum += share;
        if place < sum {
            return index + 1;
        }
    }
    if sum > 1.0 - ROUNDING {
        shares.len()
    } else {
        0
    }
}

/// How many of the first `users` are on no line, and on each.
#[must_use]
pub fn users_by_line(users: u32, shares: &[f64]) -> Vec<u32> {
    let mut found = vec![0; shares.len() + 1];
    for user in 0..users {
        found[line_of(user, shares)] += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The greatest deviation of a line from its share, as the users in `which` are added in turn.
    fn greatest_deviation(shares: &[f64], which: impl Iterator<Item = u32>) -> f64 {
        let none = (1.0 - shares.iter().sum::<f64>()).max(0.0);
        let wanted = [&[none], shares].concat();
        let mut found = vec![0.0; wanted.len()];
        let mut greatest: f64 = 0.0;
        for (number, user) in which.enumerate() {
            found[line_of(user, shares)] += 1.0;
            for (share, count) in wanted.iter().zip(&found) {
                let off: f64 = count - share * (number + 1) as f64;
                greatest = greatest.max(off.abs());
            }
        }
        greatest
    }

    #[test]
    fn every_level_has_the_share_of_each_line() {
        for shares in [
            &[0.4][..],
            &[0.5],
            &[0.01],
            &[1.0],
            &[0.4, 0.3],
            &[0.2, 0.3, 0.5],
            &[0.333],
        ] {
            assert!(greatest_deviation(shares, 0..100_000) < 3.0, "{shares:?}");
        }
    }

    #[test]
    fn every_worker_has_the_share_of_each_line() {
        for workers in [2, 3, 4, 5, 8, 16, 64] {
            for worker in 0..workers {
                let users = (worker..).step_by(workers as usize).take(2_000);
                let off = greatest_deviation(&[0.4, 0.3], users);
                assert!(off < 10.0, "{workers} workers: {off}");
            }
        }
    }

    #[test]
    fn users_keep_their_line() {
        let shares = [0.4, 0.1];
        let lines: Vec<usize> = (0..10).map(|user| line_of(user, &shares)).collect();
        assert_eq!(lines, [0, 1, 0, 1, 0, 0, 1, 0, 2, 1]);
        assert_eq!(users_by_line(10, &shares), [5, 4, 1]);
        assert_eq!(users_by_line(0, &shares), [0, 0, 0]);
        assert_eq!(line_of(7, &[]), 0);
    }

    #[test]
    fn invalid_shares_are_refused() {
        assert!(check_shares(&[0.1; 10]).is_ok() && check_shares(&[]).is_ok());
        for shares in [
            &[0.0][..],
            &[f64::NAN],
            &[-0.1],
            &[1.1],
            &[0.6, 0.5],
            &[0.001; 65],
        ] {
            assert!(check_shares(shares).is_err(), "{shares:?}");
        }
    }

    proptest! {
        #[test]
        fn shares_that_sum_to_one_give_every_user_a_line(
            user: u32,
            weights in prop::collection::vec(1u32..1000, 1..10),
        ) {
            let sum: u32 = weights.iter().sum();
            let shares: Vec<f64> = weights.iter().map(|w| f64::from(*w) / f64::from(sum)).collect();
            prop_assert!((1..=shares.len()).contains(&line_of(user, &shares)));
        }
    }
}
