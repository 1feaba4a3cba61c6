//! Parameters of statements, in PostgreSQL's binary form.

use std::error::Error;

use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::types::{
    ArrayDimension, array_to_sql, float8_to_sql, int4_to_sql, int8_to_sql, text_to_sql,
};

use crate::row::Type;

/// A parameter.
#[derive(Debug, Clone, Copy)]
pub enum Parameter<'a> {
    /// An `int4`.
    Int4(i32),
    /// An `int8`.
    Int8(i64),
    /// A `float8`.
    Float8(f64),
    /// A `text`.
    Text(&'a str),
    /// An `int8[]`.
    Int8s(&'a [i64]),
    /// A `text[]`.
    Texts(&'a [&'a str]),
}

impl Parameter<'_> {
    /// Its type's number.
    #[must_use]
    pub const fn oid(&self) -> u32 {
        let kind = match self {
            Self::Int4(_) => Type::Int4,
            Self::Int8(_) => Type::Int8,
            Self::Float8(_) => Type::Float8,
            Self::Text(_) => Type::Text,
            Self::Int8s(_) => Type::Int8s,
            Self::Texts(_) => Type::Texts,
        };
        kind.oid()
    }

    /// Appends its binary form. An error if it is too long.
    pub fn append(self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Int4(value) => int4_to_sql(value, out),
            Self::Int8(value) => int8_to_sql(value, out),
            Self::Float8(value) => float8_to_sql(value, out),
            Self::Text(value) => text_to_sql(value, out),
            Self::Int8s(values) => append_array(values, Type::Int8, out, |value, out| {
                int8_to_sql(*value, out);
            })?,
            Self::Texts(values) => append_array(values, Type::Text, out, |value, out| {
                text_to_sql(value, out);
            })?,
        }
        Ok(IsNull::No)
    }
}

fn append_array<T>(
    values: &[T],
    kind: Type,
    out: &mut BytesMut,
    append: impl Fn(&T, &mut BytesMut),
) -> Result<(), Box<dyn Error + Sync + Send>> {
    let dimension = ArrayDimension {
        len: i32::try_from(values.len())?,
        lower_bound: 1,
    };
    array_to_sql(
        [dimension],
        kind.oid(),
        values,
        |value, out| {
            append(value, out);
            Ok(IsNull::No)
        },
        out,
    )
}
