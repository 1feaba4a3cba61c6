//! What errors of the server and of the connection mean.

use std::fmt::Display;
use std::io;

use headcount_load::{Fault, FaultKind, fault};

use crate::refusal::{cut, malformed};

const CLOSED: &str = "the server closed the connection";
/// What pgbouncer says if it is full, or cannot reach the server. It has one SQLSTATE for nearly
/// all that it refuses.
const OF_POOLER: [&str; 3] = [
    "no more connections allowed",
    "cannot connect to server",
    "connect failed",
];

/// The relevant fields of an error from the server (PostgreSQL 15, 55.8).
struct Refusal {
    /// Its words, and its SQLSTATE.
    words: String,
    code: String,
    ends_session: bool,
}

impl Refusal {
    fn read(body: &[u8]) -> Result<Self, Fault> {
        let (mut message, mut code) = (None, None);
        let (mut severity, mut localised) = (None, None);
        let mut rest = body;
        loop {
            let (&kind, after) = rest.split_first().ok_or_else(cut)?;
            if kind == 0 {
                break;
            }
            let end = after.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
            let text = String::from_utf8_lossy(&after[..end]);
            match kind {
                b'V' => severity = Some(text),
                b'S' => localised = Some(text),
                b'C' => code = Some(text),
                b'M' => message = Some(text),
                _ => {}
            }
            rest = &after[end + 1..];
        }
        let (Some(message), Some(code)) = (message, code) else {
            return Err(malformed("an error without a message or SQLSTATE"));
        };
        let severity = severity.or(localised).unwrap_or_default();
        let (words, code) = (fault::words(&message), fault::words(&code));
        Ok(Self {
            words: format!("{words} (SQLSTATE {code})"),
            code,
            ends_session: matches!(&*severity, "FATAL" | "PANIC"),
        })
    }
}

/// The fault of an error (its body) before the server was ready.
pub fn of_refused_logon(body: &[u8]) -> Fault {
    match Refusal::read(body) {
        Ok(refusal) => {
            let kind = kind_of_refusal(&refusal.code, &refusal.words);
            Fault::session(kind, refusal.words)
        }
        Err(fault) => fault,
    }
}

/// A server that is full, overloaded, starting or stopping did not reject the user's credentials
/// (PostgreSQL 15, appendix A).
fn kind_of_refusal(code: &str, words: &str) -> FaultKind {
    match code {
        // The classes insufficient_resources, such as too_many_connections, and system_error.
        _ if ["53", "58"].iter().any(|class| code.starts_with(class)) => FaultKind::Connect,
        // cannot_connect_now, admin_shutdown, crash_shutdown; query_canceled: authentication took
        // longer than authentication_timeout.
        "57P03" | "57P01" | "57P02" | "57014" => FaultKind::Connect,
        "08P01" if OF_POOLER.iter().any(|part| words.contains(part)) => FaultKind::Connect,
        _ => FaultKind::Login,
    }
}

/// The fault of an error (its body) that answers a statement.
pub fn of_refused_statement(body: &[u8]) -> Fault {
    match Refusal::read(body) {
        Ok(it) if it.ends_session => Fault::session(FaultKind::Disconnected, it.words),
        Ok(it) => Fault::step(FaultKind::Refused, it.words),
        Err(fault) => fault,
    }
}

/// The fault of an unsolicited error (its body): usually why the connection ends.
pub fn of_stray_error(body: &[u8]) -> Fault {
    let fault = of_refused_statement(body);
    if fault.ends_session {
        return fault;
    }
    malformed(&format!("an error that answers nothing: {}", fault.message))
}

/// The fault of a value that cannot be sent: a text with a NUL, or one of gigabytes.
pub fn unsendable(error: &dyn Display) -> Fault {
    Fault::step(
        FaultKind::Refused,
        format!("this cannot be sent to the server: {error}"),
    )
}

/// The fault of a connection that ended.
pub fn closed() -> Fault {
    Fault::session(FaultKind::Disconnected, CLOSED)
}

/// The fault of an error of the socket, or of TLS above it.
pub fn lost(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => closed(),
        _ => Fault::from_io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overloaded_server_does_not_reject_credentials() {
        let kind = |code: &str| {
            let body = format!("SFATAL\0C{code}\0Mno\0\0");
            of_refused_logon(body.as_bytes()).kind
        };
        for code in ["53000", "53200", "53300", "58030", "57014", "57P03"] {
            assert_eq!(kind(code), FaultKind::Connect, "{code}");
        }
        for code in ["28P01", "28000", "3D000", "42501"] {
            assert_eq!(kind(code), FaultKind::Login, "{code}");
        }
    }

    #[test]
    fn a_pooler_without_a_place_or_server_does_not_reject_credentials() {
        let kind = |code: &str, words: &str| {
            let body = format!("SFATAL\0C{code}\0M{words}\0\0");
            of_refused_logon(body.as_bytes()).kind
        };
        for words in [
            "no more connections allowed (max_client_conn)",
            "pgbouncer cannot connect to server",
            "server login has been failing, cached error: connect failed (server_login_retry)",
        ] {
            assert_eq!(kind("08P01", words), FaultKind::Connect, "{words}");
        }
        assert_eq!(kind("08P01", "no such user: ada"), FaultKind::Login);
        assert_eq!(kind("53300", "too many clients"), FaultKind::Connect);
        assert_eq!(kind("28P01", "connect failed"), FaultKind::Login);
    }
}
