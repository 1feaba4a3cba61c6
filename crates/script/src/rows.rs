//! Rows of a file: accounts, products, search words.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;

/// Which row a user gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Each user has one row of their own.
    Unique,
    /// Any row, drawn evenly.
    Random,
    /// The row after the user's last one; user `n` begins at row `n`.
    InTurn,
    /// A row that nobody has had in this run.
    Once,
}

/// A table of text.
#[derive(Debug)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<Box<str>>,
    /// Row after row.
    cells: Vec<Box<str>>,
    /// How many rows the users of each worker have taken, for [`Order::Once`].
    had: Box<[AtomicU64]>,
}

impl Rows {
    /// A table for the users of `workers` workers. The error says what is wrong with it.
    pub fn new(
        columns: Vec<Box<str>>,
        rows: Vec<Vec<Box<str>>>,
        workers: u32,
    ) -> Result<Self, String> {
        if columns.is_empty() || rows.is_empty() {
            return Err("it has no rows".into());
        }
        let width = columns.len();
        if let Some(at) = rows.iter().position(|row| row.len() != width) {
            let cells = rows[at].len();
            return Err(format!(
                "row {} has {cells} values instead of {width}",
                at + 1
            ));
        }
        Ok(Self {
            columns,
            cells: rows.into_iter().flatten().collect(),
            had: (0..workers.max(1)).map(|_| AtomicU64::new(0)).collect(),
        })
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        (self.cells.len() / self.columns.len()) as u64
    }

    /// Whether there are no rows; never true.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The value in a row and a column, both from 0.
    #[must_use]
    pub fn cell(&self, row: u32, column: u16) -> &str {
        &self.cells[row as usize * self.columns.len() + usize::from(column)]
    }

    /// The row of user `number` for the `turn`-th time (from 0); `drawn` is uniform over all u64.
    /// `None` if no row is left.
    ///
    /// With [`Order::Once`] rows are dealt to workers in turn, so that workers on several machines
    /// need not ask each other.
    #[must_use]
    pub fn row(&self, order: Order, number: u32, turn: u64, drawn: u64) -> Option<u32> {
        let length = self.len();
        let row = match order {
            Order::Unique => u64::from(number),
            Order::InTurn => u64::from(number).wrapping_add(turn) % length,
            Order::Random => ((u128::from(drawn) * u128::from(length)) >> 64) as u64,
            Order::Once => {
                let workers = self.had.len() as u64;
                let worker = u64::from(number) % workers;
                let had = self.had[worker as usize].fetch_add(1, Ordering::Relaxed);
                had.saturating_mul(workers) + worker
            }
        };
        (row < length).then_some(row as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn rows() -> Rows {
        let rows = [["a", "1"], ["b", "2"], ["c", "3"]];
        let rows = rows.map(|row| row.map(Into::into).to_vec()).to_vec();
        Rows::new(vec!["name".into(), "id".into()], rows, 2).unwrap()
    }

    #[test]
    fn each_order_gives_its_rows() {
        let rows = rows();
        let given = |order, calls: [(u32, u64, u64); 4]| {
            calls.map(|(number, turn, drawn)| rows.row(order, number, turn, drawn))
        };
        let unique = given(Order::Unique, [(0, 5, 0), (2, 9, 0), (3, 0, 0), (1, 0, 0)]);
        assert_eq!(unique, [Some(0), Some(2), None, Some(1)]);
        let turns = given(Order::InTurn, [(0, 0, 0), (0, 1, 0), (2, 1, 0), (7, 0, 0)]);
        assert_eq!(turns, [Some(0), Some(1), Some(0), Some(1)]);
        let drawn = given(
            Order::Random,
            [(0, 0, 0), (0, 0, u64::MAX), (0, 0, 1 << 63), (0, 0, 1)],
        );
        assert_eq!(drawn, [Some(0), Some(2), Some(1), Some(0)]);
        let once = given(Order::Once, [(0, 0, 0), (9, 0, 0), (2, 0, 0), (0, 0, 0)]);
        assert_eq!(once, [Some(0), Some(1), Some(2), None]);
        assert_eq!((rows.cell(2, 0), rows.cell(0, 1)), ("c", "1"));
    }

    #[test]
    fn uneven_tables_are_refused() {
        let sentence = Rows::new(vec!["a".into()], vec![vec!["1".into()], vec![]], 1).unwrap_err();
        assert_eq!(sentence, "row 2 has 0 values instead of 1");
        assert!(Rows::new(vec!["a".into()], vec![], 1).is_err());
    }

    proptest! {
        #[test]
        fn rows_exist_and_order_once_never_repeats(
            length in 1_usize..40,
            workers in 0_u32..5,
            calls in prop::collection::vec(any::<(u32, u64, u64)>(), 0..100),
        ) {
            let table = vec![vec![Box::from("a")]; length];
            let rows = Rows::new(vec!["name".into()], table, workers).unwrap();
            let mut used = BTreeSet::new();
            for (number, turn, drawn) in calls {
                for order in [Order::InTurn, Order::Random] {
                    let row = rows.row(order, number, turn, drawn).unwrap();
                    prop_assert!((row as usize) < length);
                }
                let own = rows.row(Order::Unique, number, turn, drawn);
                prop_assert_eq!(own, ((number as usize) < length).then_some(number));
                if let Some(row) = rows.row(Order::Once, number, turn, drawn) {
                    prop_assert!((row as usize) < length);
                    prop_assert_eq!(row % workers.max(1), number % workers.max(1));
                    prop_assert!(used.insert(row), "row {} twice", row);
                }
            }
        }
    }
}
