//! Questions on a connection: statements, in one of the protocol's ways.

use std::io;

use bytes::BytesMut;
use headcount_load::Fault;
use postgres_protocol::message::frontend;

use crate::answer::{Answer, Rows, Shape};
use crate::parameter::Parameter;
use crate::row::{Row, Type};
use crate::wire::{Name, Wire};

/// The formats of parameters and results (PostgreSQL 15, 55.2.2).
pub(crate) const TEXT: i16 = 0;
const BINARY: i16 = 1;

impl Wire {
    /// Prepares a statement with parameters of these types, or of those that the server infers;
    /// columns of other types than `columns` are a fault. Also returns the names of the columns.
    pub async fn prepare(
        &mut self,
        name: Name,
        text: &str,
        parameters: impl Iterator<Item = u32>,
        columns: Option<&[Type]>,
    ) -> Result<(Shape, Vec<Box<str>>), Fault> {
        self.settle().await?;
        self.send(|out| {
            name.with(|name| {
                frontend::parse(name, text, parameters, out)?;
                frontend::describe(b'S', name, out)
            })?;
            frontend::sync(out);
            Ok(())
        })
        .await?;
        let mut answer = Answer::to_prepare(columns).naming();
        self.answered(&mut answer).await?;
        let names = answer.take_names();
        let (shape, _) = answer.finish()?;
        Ok((shape, names))
    }

    /// Executes a prepared statement that returns `columns` columns.
    pub async fn execute(
        &mut self,
        name: Name,
        parameters: &[Parameter<'_>],
        columns: u16,
        each: impl FnMut(Row<'_>) -> Result<(), Fault>,
    ) -> Result<Rows, Fault> {
        self.execute_with(name, columns, each, |name, out| bind(name, parameters, out))
            .await
    }

    /// Executes a prepared statement; `bind` writes its parameters.
    pub async fn execute_with(
        &mut self,
        name: Name,
        columns: u16,
        each: impl FnMut(Row<'_>) -> Result<(), Fault>,
        bind: impl FnOnce(&str, &mut BytesMut) -> io::Result<()>,
    ) -> Result<Rows, Fault> {
        self.settle().await?;
        self.send(|out| {
            name.with(|name| bind(name, out))?;
            frontend::execute("", 0, out)?;
            frontend::sync(out);
            Ok(())
        })
        .await?;
        self.rows(Answer::to_execute(columns, each)).await
    }

    /// Executes an unprepared statement in one round trip; columns of other types than `columns`
    /// are a fault.
    pub async fn ask(
        &mut self,
        text: &str,
        parameters: &[Parameter<'_>],
        columns: &[Type],
        each: impl FnMut(Row<'_>) -> Result<(), Fault>,
    ) -> Result<Rows, Fault> {
        let types = parameters.iter().map(Parameter::oid);
        self.ask_with(text, types, Some(columns), each, |name, out| {
            bind(name, parameters, out)
        })
        .await
    }

    /// Like [`Self::ask`], but `bind` writes the parameters.
    pub async fn ask_with(
        &mut self,
        text: &str,
        types: impl Iterator<Item = u32>,
        columns: Option<&[Type]>,
        each: impl FnMut(Row<'_>) -> Result<(), Fault>,
        bind: impl FnOnce(&str, &mut BytesMut) -> io::Result<()>,
    ) -> Result<Rows, Fault> {
        self.settle().await?;
        self.send(|out| {
            frontend::parse("", text, types, out)?;
            bind("", out)?;
            frontend::describe(b'P', "", out)?;
            frontend::execute("", 0, out)?;
            frontend::sync(out);
            Ok(())
        })
        .await?;
        self.rows(Answer::to_ask(columns, each)).await
    }

    /// Has the server execute any number of statements; rows come as text. Returns the result of
    /// the last.
    pub async fn query(
        &mut self,
        statements: &str,
        each: impl FnMut(Row<'_>) -> Result<(), Fault>,
    ) -> Result<Rows, Fault> {
        self.settle().await?;
        self.send(|out| frontend::query(statements, out)).await?;
        self.rows(Answer::to_query(each)).await
    }

    /// Reads an answer to its end; returns its result.
    async fn rows<F: FnMut(Row<'_>) -> Result<(), Fault>>(
        &mut self,
        mut answer: Answer<'_, F>,
    ) -> Result<Rows, Fault> {
        self.answered(&mut answer).await?;
        let (_, rows) = answer.finish()?;
        Ok(rows)
    }
}

/// Binds parameters to a statement in their binary form.
fn bind(name: &str, parameters: &[Parameter<'_>], out: &mut BytesMut) -> io::Result<()> {
    let (values, append) = (parameters.iter().copied(), Parameter::append);
    frontend::bind("", name, [BINARY], values, append, [BINARY], out).map_err(of_binding)
}

pub(crate) fn of_binding(error: frontend::BindError) -> io::Error {
    match error {
        frontend::BindError::Serialization(error) => error,
        frontend::BindError::Conversion(error) => io::Error::other(error),
    }
}
