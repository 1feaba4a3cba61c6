//! Rows of a statement, as captures and checks see them.

use std::rc::Rc;

use headcount_load::fault::words;
use headcount_load::{Fault, FaultKind};
use headcount_script::Reply;

use crate::row::Row;

/// The most that is kept of an answer: captures and checks are for what an application looks at.
const MOST_KEPT_BYTES: usize = 16 << 20;

/// The names of a statement's columns.
pub(crate) type ColumnNames = Rc<[Box<str>]>;

/// The received values of the columns that captures and checks look at.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// Names of all columns.
    names: ColumnNames,
    /// The columns that are kept, in their order.
    kept: Vec<usize>,
    /// Their values, row by row; None is NULL.
    values: Vec<Option<Box<str>>>,
    bytes: usize,
    rows: u64,
    took_ms: f64,
}

impl Received {
    /// No rows yet, for a statement whose columns have these `names`, of which the `wanted` ones
    /// are kept.
    pub fn new<'a>(names: &ColumnNames, wanted: impl Iterator<Item = &'a str>) -> Self {
        let place = |wanted: &str| names.iter().position(|name| **name == *wanted);
        let mut kept: Vec<usize> = wanted.filter_map(place).collect();
        kept.sort_unstable();
        kept.dedup();
        Self {
            names: Rc::clone(names),
            kept,
            ..Self::default()
        }
    }

    /// Takes a row, whose values are text.
    pub fn take(&mut self, mut row: Row<'_>) -> Result<(), Fault> {
        let mut kept = self.kept.iter().copied().peekable();
        let mut at = 0;
        while let Some(value) = row.next_bytes() {
            if kept.next_if_eq(&at).is_some() {
                self.bytes += value.map_or(0, <[u8]>::len) + size_of::<Option<Box<str>>>();
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned().into();
                self.values.push(value.map(text));
            }
            at += 1;
        }
        if self.bytes > MOST_KEPT_BYTES {
            let mebibytes = MOST_KEPT_BYTES >> 20;
            self.values = Vec::new();
            return Err(Fault::step(
                FaultKind::Refused,
                format!(
                    "the rows have more than {mebibytes} MiB, which captures and checks do not look \
                     at; ask for fewer (LIMIT)"
                ),
            ));
        }
        Ok(())
    }

    /// Sets the number of rows and the time it took, after the end of the answer.
    pub const fn complete(&mut self, rows: u64, took_ms: f64) {
        self.rows = rows;
        self.took_ms = took_ms;
    }
}

impl Reply for Received {
    fn column(&self, name: &str) -> Result<Vec<Option<&str>>, String> {
        let column = self.names.iter().position(|known| **known == *name);
        let place = column.and_then(|at| self.kept.iter().position(|kept| *kept == at));
        let Some(place) = place else {
            let shown = name.escape_default();
            return Err(match &*self.names {
                [] => format!("there is no column \"{shown}\": the statement returns no rows"),
                names => format!(
                    "there is no column \"{shown}\"; there are {}",
                    words(&names.join(", "))
                ),
            });
        };
        let values = self.values.iter().skip(place).step_by(self.kept.len());
        Ok(values.map(Option::as_deref).collect())
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn took_ms(&self) -> f64 {
        self.took_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[Option<&str>]) -> Vec<u8> {
        let mut body = (values.len() as u16).to_be_bytes().to_vec();
        for value in values {
            let length = value.map_or(u32::MAX, |text| text.len() as u32);
            body.extend(length.to_be_bytes());
            body.extend(value.unwrap_or_default().as_bytes());
        }
        body
    }

    #[test]
    fn columns_are_kept_by_name() {
        let names: ColumnNames = ["id", "name", "price"].map(Into::into).into();
        let wanted = ["price", "id", "price", "other"];
        let mut received = Received::new(&names, wanted.into_iter());
        for values in [
            [Some("1"), Some("a"), None],
            [Some("2"), None, Some("3.50")],
        ] {
            received.take(Row::new(&row(&values)).unwrap()).unwrap();
        }
        assert_eq!(received.column("id"), Ok(vec![Some("1"), Some("2")]));
        assert_eq!(received.column("price"), Ok(vec![None, Some("3.50")]));
        let missing = received.column("other").unwrap_err();
        assert!(missing.ends_with("there are id, name, price"), "{missing}");
    }

    #[test]
    fn many_names_are_quoted_in_part_and_on_one_line() {
        let names: ColumnNames = (0..1600).map(|at| format!("a\n{at}").into()).collect();
        let received = Received::new(&names, std::iter::empty());
        let missing = received.column("b").unwrap_err();
        assert!(missing.contains("there are a 0, a 1, "), "{missing}");
        assert!(missing.len() < 250, "{missing}");
    }

    #[test]
    fn kept_values_are_limited_in_size() {
        let names: ColumnNames = ["a"].map(Into::into).into();
        let mut received = Received::new(&names, std::iter::once("a"));
        let long = "x".repeat(1 << 20);
        let body = row(&[Some(&long)]);
        let taken = (0..20)
            .take_while(|_| received.take(Row::new(&body).unwrap()).is_ok())
            .count();
        assert_eq!(taken, 15);
    }
}
