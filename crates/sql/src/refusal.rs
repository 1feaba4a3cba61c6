//! Why the client closes a connection: the server asks for what it must not have, or sends what
//! nobody needs.

use headcount_load::{Fault, FaultKind};

use crate::authentication::Method;

/// An error where there are more bytes than this; `what` ends the sentence.
pub fn within(bytes: u64, most: u64, what: &str) -> Result<(), Fault> {
    if bytes <= most {
        return Ok(());
    }
    let mib = most >> 20;
    Err(malformed(&format!(
        "more than {mib} MiB {what}, which is the most that is read"
    )))
}

/// The server asks for a method of authentication that is not allowed.
pub fn not_allowed(method: Method) -> Fault {
    let (asked, name) = (
        match method {
            Method::None => "lets users in without asking who they are",
            Method::Password => "asks for the password in clear text",
            Method::Md5 => "asks for an MD5 hash of the password",
            Method::ScramSha256 => "asks for a proof by SCRAM-SHA-256",
        },
        method.name(),
    );
    Fault::session(
        FaultKind::Login,
        format!(
            "the server {asked}, which require_auth does not allow: nothing was sent; if the server \
             is yours and the network is safe, allow it: --client require_auth={name}"
        ),
    )
}

/// The proof would not be bound to the server's certificate, which the user requires.
pub fn not_bound(why: &str) -> Fault {
    Fault::session(
        FaultKind::Login,
        format!(
            "{why}, and channel_binding=require needs a proof by SCRAM-SHA-256 that is bound to the \
             server's certificate: nothing was sent; if that is expected, set --client \
             channel_binding=prefer"
        ),
    )
}

/// There is no password to prove.
pub fn no_password() -> Fault {
    Fault::session(
        FaultKind::Login,
        "the server asks for a password, and there is none: set HEADCOUNT_PASSWORD, or give \
         --password-file",
    )
}

/// A message out of order.
pub fn unexpected(tag: u8) -> Fault {
    let tag = char::from(tag).escape_default();
    malformed(&format!("a message ('{tag}') where it has no place"))
}

/// A message whose parts are longer than the whole.
pub fn cut() -> Fault {
    malformed("a message that ends in the middle of a part")
}

/// The server sent invalid data.
pub fn malformed(what: &str) -> Fault {
    Fault::session(FaultKind::Malformed, format!("the server sent {what}"))
}

/// The server could not start a process for the connection. It says so in an old, unencrypted
/// message that anyone on the way may have written (PostgreSQL 15, 55.2.10).
pub fn no_session() -> Fault {
    Fault::session(
        FaultKind::Connect,
        "no logon: the server cannot begin a session; it may have no process or memory left: see \
         its log",
    )
}

/// The server is not PostgreSQL.
pub fn not_postgresql() -> Fault {
    Fault::session(
        FaultKind::Malformed,
        "no logon: the answer is not PostgreSQL's; check the address and the port",
    )
}
