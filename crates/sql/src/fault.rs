//! What errors of the server and of the connection mean.

use std::error::Error as _;
use std::io;

use headcount_load::{Fault, FaultKind, fault};
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::types::FromSql;
use tokio_postgres::{Error, Row};

use crate::refusal::malformed;

/// The server's words, and its SQLSTATE.
fn words(error: &DbError) -> String {
    let message = fault::words(error.message());
    format!("{message} (SQLSTATE {})", fault::words(error.code().code()))
}

/// The fault of a connection that did not come to be.
pub fn of_connecting(error: &Error, has_password: bool) -> Fault {
    if let Some(refusal) = error.as_db_error() {
        return Fault::session(kind_of_refusal(refusal.code()), words(refusal));
    }
    let source = error.source();
    if let Some(fault) = source.and_then(|source| source.downcast_ref::<Fault>()) {
        return fault.clone(); // of the handshake of TLS
    }
    if let Some(cause) = source.and_then(|source| source.downcast_ref::<io::Error>()) {
        if error.to_string() == UNPROVED {
            let sentence = format!("no logon: the server's part of SCRAM is wrong: {cause}");
            return Fault::session(FaultKind::Malformed, sentence);
        }
        return lost(cause);
    }
    if error.is_closed() {
        return Fault::session(FaultKind::Disconnected, CLOSED);
    }
    let why = source.map_or_else(String::new, |source| format!(": {source}"));
    let text = format!("{error}{why}");
    if !has_password && text.contains("password missing") {
        return Fault::session(
            FaultKind::Login,
            "the server asks for a password, and there is none: set HEADCOUNT_PASSWORD, or give \
             --password-file",
        );
    }
    let kind = if text.contains("TLS") {
        FaultKind::Connect
    } else if text.contains("authentication") || text.contains("configuration") {
        FaultKind::Login
    } else {
        FaultKind::Malformed
    };
    Fault::session(kind, format!("no logon: {text}"))
}

const CLOSED: &str = "the server closed the connection";
/// What tokio-postgres says of a server that cannot prove that it knows the password.
const UNPROVED: &str = "authentication error";
/// What it says of a message whose parts are longer than the whole.
const CUT: &str = "unexpected EOF";

/// A server that is full or about to start or end is no matter of who the user is.
fn kind_of_refusal(code: &SqlState) -> FaultKind {
    match *code {
        SqlState::TOO_MANY_CONNECTIONS
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::OUT_OF_MEMORY => FaultKind::Connect,
        _ => FaultKind::Login,
    }
}

/// The fault of a statement, or of the connection under it.
pub fn of_statement(error: &Error) -> Fault {
    if let Some(refusal) = error.as_db_error() {
        let ends = matches!(
            refusal.parsed_severity(),
            Some(Severity::Fatal | Severity::Panic)
        );
        return if ends {
            Fault::session(FaultKind::Disconnected, words(refusal))
        } else {
            Fault::step(FaultKind::Refused, words(refusal))
        };
    }
    let source = error.source();
    if let Some(error) = source.and_then(|source| source.downcast_ref::<io::Error>()) {
        return lost(error);
    }
    if error.is_closed() {
        return Fault::session(FaultKind::Disconnected, CLOSED);
    }
    let why = source.map_or_else(String::new, |source| format!(": {source}"));
    Fault::session(FaultKind::Malformed, format!("{error}{why}"))
}

/// What stands in a column. A server that answers with another type is not taken at its word.
pub fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, Fault> {
    row.try_get(column).map_err(|error| of_value(&error))
}

/// The fault of a value that is not what the statement asked for, or of a parameter that does not fit.
pub fn of_value(error: &Error) -> Fault {
    let why = error
        .source()
        .map_or_else(String::new, |source| format!(": {source}"));
    Fault::step(FaultKind::WrongData, format!("{error}{why}"))
}

/// The fault of an error of the socket, or what the guard before it found.
fn lost(error: &io::Error) -> Fault {
    let inner = error.get_ref();
    if let Some(fault) = inner.and_then(|inner| inner.downcast_ref::<Fault>()) {
        return fault.clone();
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof if error.to_string() == CUT => {
            malformed("a message that ends in the middle of a part")
        }
        io::ErrorKind::InvalidInput => malformed(&format!("what is not PostgreSQL's: {error}")),
        io::ErrorKind::UnexpectedEof => Fault::session(FaultKind::Disconnected, CLOSED),
        _ => Fault::from_io(error),
    }
}
