//! Rows of an answer, read where they arrived.

use headcount_load::{Fault, FaultKind};
use postgres_protocol::types::{bool_from_sql, int4_from_sql, int8_from_sql, text_from_sql};

use crate::refusal::cut;

/// A type of PostgreSQL's that a column or a parameter can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `int4`.
    Int4,
    /// `int8`.
    Int8,
    /// `float8`.
    Float8,
    /// `text`.
    Text,
    /// `int8[]`.
    Int8s,
    /// `text[]`.
    Texts,
}

impl Type {
    /// Its number in every database (`pg_type.dat`).
    #[must_use]
    pub const fn oid(self) -> u32 {
        match self {
            Self::Bool => 16,
            Self::Int8 => 20,
            Self::Int4 => 23,
            Self::Text => 25,
            Self::Float8 => 701,
            Self::Texts => 1009,
            Self::Int8s => 1016,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int4 => "int4",
            Self::Int8 => "int8",
            Self::Float8 => "float8",
            Self::Text => "text",
            Self::Int8s => "int8[]",
            Self::Texts => "text[]",
        }
    }
}

/// One row: its columns, from the first that has not been read.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    rest: &'a [u8],
    columns: u16,
    /// The column that is read next.
    at: u16,
    /// Bytes of the values and their lengths.
    bytes: usize,
}

impl<'a> Row<'a> {
    /// Reads the body of a `DataRow` (PostgreSQL 15, 55.7), all of it.
    #[inline]
    pub fn new(body: &'a [u8]) -> Result<Self, Fault> {
        let (count, rest) = body.split_first_chunk().ok_or_else(cut)?;
        let columns = u16::from_be_bytes(*count);
        let mut behind = rest;
        for _ in 0..columns {
            (_, behind) = column(behind)?;
        }
        if !behind.is_empty() {
            return Err(cut());
        }
        Ok(Self {
            rest,
            columns,
            at: 0,
            bytes: rest.len(),
        })
    }

    /// How many columns it has.
    #[must_use]
    pub const fn columns(&self) -> u16 {
        self.columns
    }

    /// Bytes of its values and their lengths.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes of the next column; the outer None means that there is none, the inner one NULL.
    pub fn next_bytes(&mut self) -> Option<Option<&'a [u8]>> {
        if self.at == self.columns {
            return None;
        }
        let (value, rest) = column(self.rest).ok()?;
        (self.rest, self.at) = (rest, self.at + 1);
        Some(value)
    }

    /// The value of the next column, which must be of this type and not NULL.
    pub fn read<T: Value<'a>>(&mut self) -> Result<T, Fault> {
        let at = self.at;
        let value = self.next_bytes().ok_or_else(|| no_column(at))?;
        let value = value.ok_or_else(|| of_value(at, &"a value is NULL"))?;
        T::read(value).map_err(|error| of_value(at, &error))
    }
}

/// The value of a column, and what is behind it.
#[inline]
fn column(bytes: &[u8]) -> Result<(Option<&[u8]>, &[u8]), Fault> {
    let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    match i32::from_be_bytes(*length) {
        -1 => Ok((None, rest)),
        length => {
            let length = usize::try_from(length).map_err(|_| cut())?;
            let (value, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
            Ok((Some(value), rest))
        }
    }
}

/// A value that a column can have.
pub trait Value<'a>: Sized {
    /// Reads its binary form.
    fn read(bytes: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>>;
}

impl Value<'_> for bool {
    fn read(bytes: &[u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        bool_from_sql(bytes)
    }
}

impl Value<'_> for i32 {
    fn read(bytes: &[u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        int4_from_sql(bytes)
    }
}

impl Value<'_> for i64 {
    fn read(bytes: &[u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        int8_from_sql(bytes)
    }
}

impl<'a> Value<'a> for &'a str {
    fn read(bytes: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        text_from_sql(bytes)
    }
}

/// Checks that the columns that the server describes (the body of a `RowDescription`) have these
/// types: values of other types are not decoded. Returns how many columns it describes.
pub fn check_columns(body: &[u8], wanted: Option<&[Type]>) -> Result<u16, Fault> {
    let (count, mut rest) = body.split_first_chunk().ok_or_else(cut)?;
    let columns = u16::from_be_bytes(*count);
    for at in 0..columns {
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
        // Table, column; type; length, modifier, format.
        let (numbers, behind) = rest[end + 1..].split_first_chunk().ok_or_else(cut)?;
        let [_, _, _, _, _, _, a, b, c, d, _, _, _, _, _, _, _, _]: [u8; 18] = *numbers;
        let oid = u32::from_be_bytes([a, b, c, d]);
        rest = behind;
        let wanted = wanted.and_then(|wanted| wanted.get(usize::from(at)));
        if let Some(wanted) = wanted.filter(|wanted| wanted.oid() != oid) {
            let name = wanted.name();
            return Err(of_value(
                at,
                &format!("the server sends type {oid} where {name} was asked for"),
            ));
        }
    }
    let wanted = wanted.map_or(0, <[Type]>::len);
    if usize::from(columns) < wanted {
        return Err(no_column(columns));
    }
    Ok(columns)
}

/// The names of the columns that the server describes (the body of a `RowDescription`).
pub fn column_names(body: &[u8]) -> Result<Vec<Box<str>>, Fault> {
    let (count, mut rest) = body.split_first_chunk().ok_or_else(cut)?;
    let mut names = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
        names.push(String::from_utf8_lossy(&rest[..end]).into());
        // Table, column, type, length, modifier and format have 18 bytes.
        rest = rest.get(end + 19..).ok_or_else(cut)?;
    }
    Ok(names)
}

fn no_column(at: u16) -> Fault {
    let sentence = format!("invalid column `{at}`: the server sends no more than {at}");
    Fault::step(FaultKind::WrongData, sentence)
}

/// The fault of a value that is not what the statement asked for.
fn of_value(at: u16, why: &dyn std::fmt::Display) -> Fault {
    let sentence = format!("error deserializing column {at}: {why}");
    Fault::step(FaultKind::WrongData, sentence)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(values: &[Option<Vec<u8>>]) -> Vec<u8> {
        let mut body = (values.len() as u16).to_be_bytes().to_vec();
        for value in values {
            match value {
                None => body.extend((-1i32).to_be_bytes()),
                Some(value) => {
                    body.extend((value.len() as u32).to_be_bytes());
                    body.extend(value);
                }
            }
        }
        body
    }

    proptest! {
        #[test]
        fn columns_are_read_back_and_truncated_rows_are_refused(
            values in prop::collection::vec(
                prop::option::of(prop::collection::vec(any::<u8>(), 0..20)), 0..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let body = body(&values);
            let mut row = Row::new(&body).unwrap();
            prop_assert_eq!(row.bytes(), body.len() - 2);
            let found: Vec<_> = std::iter::from_fn(|| row.next_bytes())
                .map(|value| value.map(<[u8]>::to_vec))
                .collect();
            prop_assert_eq!(found, values);
            prop_assert!(Row::new(&body[..cut.index(body.len())]).is_err());
            prop_assert!(Row::new(&[&body[..], b"x"].concat()).is_err());
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = check_columns(&bytes, Some(&[Type::Bool]));
            let _ = column_names(&bytes);
            if let Ok(mut row) = Row::new(&bytes) {
                while row.read::<&str>().is_ok() {}
            }
        }
    }

    #[test]
    fn missing_values_are_named() {
        let bytes = body(&[Some(vec![0, 0, 0, 7]), None, Some(vec![1])]);
        let mut row = Row::new(&bytes).unwrap();
        assert_eq!(row.read::<i32>().unwrap(), 7);
        let words = |fault: Fault| fault.message.to_string();
        assert!(words(row.read::<i64>().unwrap_err()).contains("column 1: a value is NULL"));
        assert!(words(row.read::<i64>().unwrap_err()).contains("deserializing column 2"));
        assert!(words(row.read::<bool>().unwrap_err()).contains("invalid column `3`"));
    }
}
