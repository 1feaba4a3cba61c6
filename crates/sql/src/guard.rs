//! What a server may send, looked at before anything is made of it.
//!
//! tokio-postgres sends a password to whoever asks for it, and keeps what arrives until a message is
//! whole. So the bytes pass a [`Guard`] first. It reads the headers of messages where they are
//! (PostgreSQL 15, 55.7) and copies nothing; a server that asks for what is not allowed, or sends
//! more than anybody needs, loses the connection.

use std::sync::{Arc, OnceLock};

use headcount_load::Fault;
use headcount_net::Agreed;

use crate::authentication::{Method, RequireAuth};
use crate::refusal::{malformed, no_session, not_allowed, not_postgresql, within};

/// The longest message before the logon is complete. PostgreSQL's have a few hundred bytes; libpq
/// takes errors of up to 30,000 (15, `fe-connect.c`).
const MOST_LOGON_MESSAGE_BYTES: u32 = 64 << 10;
/// All messages of a logon, whose notices and parameters are kept. PostgreSQL's have a kilobyte.
const MOST_LOGON_BYTES: u64 = 1 << 20;
/// The longest message after it. The largest body of a document has 1 MiB.
const MOST_MESSAGE_BYTES: u32 = 64 << 20;
/// One answer, which is kept until it is whole: what thousands of users may hold at a time.
const MOST_ANSWER_BYTES: u64 = 256 << 20;
/// What a message takes beside its bytes when it is a row: without it, a flood of empty rows would
/// take twenty times their bytes.
const MESSAGE_COST_BYTES: u64 = 128;
/// Notices, notifications and parameters between two answers: a statement that raises a notice for
/// each of 100,000 rows sends 10 MB.
const MOST_ASIDE_BYTES: u64 = 16 << 20;
/// Parameters over the life of a connection, which keeps each: a million changes by SET.
const MOST_PARAMETER_BYTES: u64 = 64 << 20;

/// Tag and length.
const HEAD_BYTES: usize = 5;
/// The same, and what an authentication request asks for.
const REQUEST_BYTES: usize = 9;

const AUTHENTICATION: u8 = b'R';
const ERROR: u8 = b'E';
const KEY_DATA: u8 = b'K';
const NEGOTIATE_VERSION: u8 = b'v';
const NOTICE: u8 = b'N';
const NOTIFICATION: u8 = b'A';
const PARAMETER: u8 = b'S';
const READY: u8 = b'Z';

/// Codes of authentication requests (PostgreSQL 15, 55.7).
const OK: u32 = 0;
const CLEARTEXT: u32 = 3;
const MD5: u32 = 5;
const SASL: u32 = 10;

/// What keeps a connection from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// The version of TLS and the cipher.
    pub tls: Option<Agreed>,
    /// How the server asked who the user is.
    pub method: Method,
}

/// What a client lets a server do.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Whether the server is asked for TLS, which it answers with a byte.
    pub asks_for_tls: bool,
    /// Whether there is a password to protect.
    pub has_password: bool,
    /// How the server may ask for it.
    pub allowed: RequireAuth,
}

/// Where one connection is in the server's messages.
pub struct Guard {
    terms: Terms,
    /// Bytes of the current message that are still to come.
    rest: u32,
    /// The beginning of a message that has not arrived in one piece, or asks for a proof.
    head: [u8; REQUEST_BYTES],
    held: u8,
    /// How the server asked, if it did.
    asked: Option<Method>,
    /// Whether it let the user in, and whether it is ready for statements.
    is_let_in: bool,
    is_ready: bool,
    answer_bytes: u64,
    aside_bytes: u64,
    parameter_bytes: u64,
    /// Since the handshake.
    pub tls: Option<Agreed>,
    protection: Arc<OnceLock<Protection>>,
}

impl Guard {
    /// At the beginning of a connection; `protection` is told once the user is let in.
    #[must_use]
    pub fn new(terms: Terms, protection: Arc<OnceLock<Protection>>) -> Self {
        Self {
            terms,
            rest: 0,
            head: [0; REQUEST_BYTES],
            held: 0,
            asked: None,
            is_let_in: false,
            is_ready: false,
            answer_bytes: 0,
            aside_bytes: 0,
            parameter_bytes: 0,
            tls: None,
            protection,
        }
    }

    /// Looks at bytes that have arrived. On an error none of them may be used.
    pub fn look(&mut self, mut bytes: &[u8]) -> Result<(), Fault> {
        if self.terms.asks_for_tls && !bytes.is_empty() {
            self.terms.asks_for_tls = false;
            match bytes[0] {
                b'S' | b'N' => bytes = &bytes[1..],
                ERROR => return Err(no_session()),
                _ => return Err(not_postgresql()),
            }
        }
        while let [first, ..] = *bytes {
            if self.rest > 0 && self.held == 0 {
                let passed = bytes.len().min(self.rest as usize);
                self.rest -= passed as u32;
                bytes = &bytes[passed..];
                continue;
            }
            match bytes.first_chunk::<HEAD_BYTES>() {
                Some(&[tag, a, b, c, d]) if self.held == 0 && tag != AUTHENTICATION => {
                    self.begin(tag, u32::from_be_bytes([a, b, c, d]))?;
                    bytes = &bytes[HEAD_BYTES..];
                }
                _ => {
                    self.hold(first)?;
                    bytes = &bytes[1..];
                }
            }
        }
        Ok(())
    }

    /// Takes a header byte by byte.
    fn hold(&mut self, byte: u8) -> Result<(), Fault> {
        self.head[usize::from(self.held)] = byte;
        self.held += 1;
        let [tag, a, b, c, d, code @ ..] = self.head;
        match usize::from(self.held) {
            HEAD_BYTES => {
                self.begin(tag, u32::from_be_bytes([a, b, c, d]))?;
                if tag != AUTHENTICATION {
                    self.held = 0;
                }
                if tag == AUTHENTICATION && self.rest < 4 {
                    return Err(malformed("a request for a proof without its kind"));
                }
            }
            REQUEST_BYTES => {
                self.held = 0;
                self.rest -= 4;
                self.authenticate(u32::from_be_bytes(code))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// A message begins. Its length counts itself.
    fn begin(&mut self, tag: u8, length: u32) -> Result<(), Fault> {
        if !self.is_ready {
            self.check_logon(tag)?;
        }
        let Some(rest) = length.checked_sub(4) else {
            return Err(malformed("a message of a length under 4"));
        };
        let most = if self.is_ready {
            MOST_MESSAGE_BYTES
        } else {
            MOST_LOGON_MESSAGE_BYTES
        };
        if length > most {
            let tag = char::from(tag).escape_default();
            return Err(malformed(&format!(
                "a message ('{tag}') of {length} bytes; at most {most} are read"
            )));
        }
        self.rest = rest;
        self.count(tag, u64::from(length))
    }

    /// Counts what is kept until an answer is whole, or longer.
    fn count(&mut self, tag: u8, bytes: u64) -> Result<(), Fault> {
        self.answer_bytes += bytes + MESSAGE_COST_BYTES;
        match tag {
            READY => {
                self.is_ready = true;
                (self.answer_bytes, self.aside_bytes) = (0, 0);
            }
            NOTICE | NOTIFICATION | PARAMETER => {
                self.aside_bytes += bytes;
                if tag == PARAMETER {
                    self.parameter_bytes += bytes;
                }
                within(
                    self.aside_bytes,
                    MOST_ASIDE_BYTES,
                    "of notices between two answers",
                )?;
                within(self.parameter_bytes, MOST_PARAMETER_BYTES, "of parameters")?;
            }
            _ => {}
        }
        if self.is_ready {
            within(self.answer_bytes, MOST_ANSWER_BYTES, "in one answer")
        } else {
            within(
                self.answer_bytes,
                MOST_LOGON_BYTES,
                "before the logon is complete",
            )
        }
    }

    /// Which messages come before the server is ready (PostgreSQL 15, 55.2.1).
    fn check_logon(&self, tag: u8) -> Result<(), Fault> {
        match tag {
            AUTHENTICATION | ERROR | NOTICE | NEGOTIATE_VERSION => Ok(()),
            KEY_DATA | PARAMETER | READY if self.is_let_in => Ok(()),
            _ => Err(not_postgresql()),
        }
    }

    /// The server asks for a proof, or lets the user in.
    fn authenticate(&mut self, code: u32) -> Result<(), Fault> {
        let method = match code {
            OK => self.asked.unwrap_or(Method::None),
            CLEARTEXT => Method::Password,
            MD5 => Method::Md5,
            SASL => Method::ScramSha256,
            _ => return Ok(()),
        };
        // Who has no password is told to give one; nothing can be sent instead.
        let is_safe = method != Method::None && !self.terms.has_password;
        if !is_safe && !self.terms.allowed.allows(method) {
            return Err(not_allowed(method));
        }
        self.asked = Some(method);
        if code == OK {
            self.is_let_in = true;
            let tls = self.tls;
            let _ = self.protection.set(Protection { tls, method }); // the first one counts
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(tag: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 4).to_be_bytes();
        [&[tag][..], &length, body].concat()
    }

    fn request(code: u32) -> Vec<u8> {
        message(AUTHENTICATION, &code.to_be_bytes())
    }

    fn guard(allowed: RequireAuth) -> Guard {
        let terms = Terms {
            asks_for_tls: true,
            has_password: true,
            allowed,
        };
        Guard::new(terms, Arc::default())
    }

    /// What a guard says of bytes that come in these pieces.
    fn looked<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Option<Protection>, Fault> {
        let mut guard = guard(RequireAuth::default());
        for piece in pieces {
            guard.look(piece)?;
        }
        Ok(guard.protection.get().copied())
    }

    fn logon(code: u32) -> Vec<u8> {
        [
            b"N".to_vec(),
            request(code),
            request(12),
            request(OK),
            message(PARAMETER, b"TimeZone\0UTC\0"),
            message(KEY_DATA, &[0; 8]),
            message(READY, b"I"),
        ]
        .concat()
    }

    proptest! {
        #[test]
        fn what_is_found_does_not_depend_on_the_pieces(
            is_allowed in any::<bool>(), rows in 0usize..4, bad in any::<bool>(),
            size in 1usize..40,
        ) {
            let mut bytes = logon(if is_allowed { SASL } else { MD5 });
            for row in 0..rows {
                bytes.extend(message(b'D', &vec![b'R'; row * 7]));
            }
            if bad {
                bytes.extend([b'D', 0x7f, 0xff, 0xff, 0xff]);
            }
            let whole = looked([&bytes[..]]);
            prop_assert_eq!(whole.is_ok(), is_allowed && !bad);
            prop_assert_eq!(looked(bytes.chunks(size)), whole);
        }

        #[test]
        fn no_bytes_upset_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let whole = looked([&bytes[..]]);
            prop_assert_eq!(looked(bytes.chunks(1)), whole);
        }
    }

    #[test]
    fn small_rows_count_with_what_they_take() {
        let mut guard = guard(RequireAuth::default());
        guard.look(&logon(SASL)).unwrap();
        let rows = message(b'D', b"").repeat(1000);
        let passed = (0..10_000)
            .take_while(|_| guard.look(&rows).is_ok())
            .count();
        // 5 bytes each, and yet no more of them than 256 MiB holds.
        assert!((1_900..2_100).contains(&passed), "{passed}");
        assert!(guard.answer_bytes < MOST_ANSWER_BYTES + 200);
    }

    #[test]
    fn a_new_answer_counts_from_nothing_but_parameters_add_up() {
        let mut guard = guard(RequireAuth::default());
        guard.look(&logon(SASL)).unwrap();
        let notice = message(NOTICE, &vec![b'x'; 1 << 20]);
        let parameter = message(PARAMETER, &vec![b'x'; 1 << 20]);
        let ready = message(READY, b"I");
        for _ in 0..100 {
            guard.look(&[&notice[..], &ready].concat()).unwrap();
        }
        let passed = (0..100)
            .take_while(|_| guard.look(&[&parameter[..], &ready].concat()).is_ok())
            .count();
        assert_eq!(passed, 63); // with its own head, the 64th is beyond 64 MiB
    }
}
