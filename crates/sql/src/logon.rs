//! Logging on (PostgreSQL 15, 55.2.1): what is asked, what is answered, and to whom.

use std::io;
use std::ops::ControlFlow;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use headcount_load::fault::words;
use headcount_load::{Fault, FaultKind, Password};
use headcount_net::Agreed;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend;
use postgres_protocol::message::frontend;

use crate::authentication::{ChannelBinding, Method, RequireAuth};
use crate::fault::{of_refused_logon, unsendable};
use crate::frames::{Message, tag};
use crate::refusal::{cut, malformed, no_password, not_allowed, not_bound, unexpected};

/// Code of the request that lets the user in (PostgreSQL 15, 55.7).
const OK: [u8; 4] = [0; 4];

/// How a connection is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// The version of TLS and the cipher.
    pub tls: Option<Agreed>,
    /// How the server authenticated the user.
    pub method: Method,
    /// Whether the proof was bound to the server's certificate.
    pub is_bound: bool,
}

impl Protection {
    /// How the server authenticated the user, in the words of `require_auth`, and whether the proof
    /// was bound.
    #[must_use]
    pub fn authentication(&self) -> String {
        let bound = if self.is_bound {
            ", bound to the certificate"
        } else {
            ""
        };
        format!("{}{bound}", self.method.name())
    }
}

/// Who logs on, and which methods of authentication are allowed.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The role.
    pub user: String,
    /// Its password, if there is one.
    pub password: Option<Password>,
    /// How the server may ask for it.
    pub allowed: RequireAuth,
    /// Whether the proof is bound to the server's certificate.
    pub binding: ChannelBinding,
}

/// What a logon knows about its connection.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    /// What was agreed on about TLS.
    pub tls: Option<Agreed>,
    /// The hash that a proof can be bound to ([`crate::end_point`]); over TLS only.
    pub end_point: Option<Vec<u8>>,
}

/// The state of a logon.
enum Stage {
    /// The server has asked for nothing.
    Begun,
    /// SCRAM: its challenge is to come, or its own proof.
    Challenge(sasl::ScramSha256),
    Proof(sasl::ScramSha256),
    /// The server has its answer, and decides.
    Answered,
    LetIn(Method),
}

/// One logon, from the startup message until the server is ready.
pub struct Logon<'a> {
    terms: &'a Terms,
    ground: Ground,
    asked: Option<Method>,
    is_bound: bool,
    stage: Stage,
}

impl<'a> Logon<'a> {
    /// A new logon on this connection.
    #[must_use]
    pub const fn new(terms: &'a Terms, ground: Ground) -> Self {
        Self {
            terms,
            ground,
            asked: None,
            is_bound: false,
            stage: Stage::Begun,
        }
    }

    /// Takes the server's next message and appends the answer to `out`. Breaks when the server is
    /// ready.
    pub fn take(
        &mut self,
        message: &Message<'_>,
        out: &mut BytesMut,
    ) -> Result<ControlFlow<Protection>, Fault> {
        match (message.tag, &self.stage) {
            (tag::AUTHENTICATION, _) => self.authenticate(message, out)?,
            (tag::ERROR, _) => return Err(of_refused_logon(message.body)),
            (tag::READY, Stage::LetIn(method)) => {
                return Ok(ControlFlow::Break(Protection {
                    tls: self.ground.tls,
                    method: *method,
                    is_bound: self.is_bound,
                }));
            }
            (tag::NOTICE | tag::NEGOTIATE_VERSION, _)
            | (tag::KEY_DATA | tag::PARAMETER, Stage::LetIn(_)) => {}
            (other, _) => return Err(unexpected(other)),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The server asks for a proof, continues one, or lets the user in.
    fn authenticate(&mut self, message: &Message<'_>, out: &mut BytesMut) -> Result<(), Fault> {
        if message.body.len() < OK.len() {
            return Err(malformed("a request for a proof without its kind"));
        }
        if message.body == OK {
            return self.be_let_in();
        }
        let mut whole = BytesMut::with_capacity(message.body.len() + 5);
        whole.extend_from_slice(&[message.tag]);
        whole.extend_from_slice(&(message.body.len() as u32 + 4).to_be_bytes());
        whole.extend_from_slice(message.body);
        let request = backend::Message::parse(&mut whole).map_err(|error| of_reading(&error))?;
        let stage = std::mem::replace(&mut self.stage, Stage::Answered);
        match (request, stage) {
            (Some(backend::Message::AuthenticationCleartextPassword), Stage::Begun) => {
                let password = self.password_for(Method::Password)?;
                frontend::password_message(password, out).map_err(|error| unsendable(&error))
            }
            (Some(backend::Message::AuthenticationMd5Password(body)), Stage::Begun) => {
                let password = self.password_for(Method::Md5)?;
                let hash = md5_hash(self.terms.user.as_bytes(), password, body.salt());
                frontend::password_message(hash.as_bytes(), out).map_err(|error| unsendable(&error))
            }
            (Some(backend::Message::AuthenticationSasl(body)), Stage::Begun) => {
                let offered: io::Result<Vec<_>> =
                    body.mechanisms().map(|name| Ok(name.to_owned())).collect();
                let offered = offered.map_err(|error| of_reading(&error))?;
                self.begin_scram(&offered, out)
            }
            (
                Some(backend::Message::AuthenticationSaslContinue(body)),
                Stage::Challenge(mut scram),
            ) => {
                scram
                    .update(body.data())
                    .map_err(|error| unproved(&error))?;
                frontend::sasl_response(scram.message(), out)
                    .map_err(|error| unsendable(&error))?;
                self.stage = Stage::Proof(scram);
                Ok(())
            }
            (Some(backend::Message::AuthenticationSaslFinal(body)), Stage::Proof(mut scram)) => {
                scram.finish(body.data()).map_err(|error| unproved(&error))
            }
            (_, Stage::Begun) => Err(Fault::session(
                FaultKind::Login,
                "no logon: the server asks for a proof that Headcount cannot give (such as Kerberos); \
                 let it ask for SCRAM-SHA-256 (pg_hba.conf)",
            )),
            _ => Err(malformed("a request for a proof out of turn")),
        }
    }

    /// The password, if the server may have it by this method.
    fn password_for(&mut self, method: Method) -> Result<&'a [u8], Fault> {
        // Without a password there is nothing to send: ask the user for one.
        let password = self.terms.password.as_ref().ok_or_else(no_password)?;
        if !self.terms.allowed.allows(method) {
            return Err(not_allowed(method));
        }
        if self.terms.binding == ChannelBinding::Require && method != Method::ScramSha256 {
            return Err(not_bound("the server asks for the password in another way"));
        }
        self.asked = Some(method);
        Ok(password.reveal().as_bytes())
    }

    /// Begins a proof that is bound to the server's certificate where both sides can (RFC 5802, 6).
    fn begin_scram(&mut self, offered: &[String], out: &mut BytesMut) -> Result<(), Fault> {
        let password = self.password_for(Method::ScramSha256)?;
        let binding = self.terms.binding;
        let is_offered = |name: &str| offered.iter().any(|one| one == name);
        let is_clear = self.ground.tls.is_none() && self.ground.end_point.is_none();
        let end_point = self
            .ground
            .end_point
            .take()
            .filter(|_| binding != ChannelBinding::Disable);
        let can_bind = end_point.is_some();
        if is_clear && is_offered(sasl::SCRAM_SHA_256_PLUS) {
            return Err(malformed(
                "an offer of SCRAM-SHA-256-PLUS without TLS: somebody between the two may have removed \
                 that",
            ));
        }
        let (mechanism, how) = match end_point {
            Some(hash) if is_offered(sasl::SCRAM_SHA_256_PLUS) => (
                sasl::SCRAM_SHA_256_PLUS,
                sasl::ChannelBinding::tls_server_end_point(hash),
            ),
            _ if binding == ChannelBinding::Require => {
                return Err(not_bound(match (is_clear, can_bind) {
                    (true, _) => "the connection has no TLS",
                    (_, false) => "the server's certificate has a signature without a hash",
                    (_, true) => "the server does not offer SCRAM-SHA-256-PLUS",
                }));
            }
            _ if !is_offered(sasl::SCRAM_SHA_256) => {
                return Err(Fault::session(
                    FaultKind::Login,
                    "no logon: the server offers no way to prove the password that Headcount knows \
                     (SCRAM-SHA-256)",
                ));
            }
            // Tells the server that the client supports binding: if the server does too, it knows
            // that its offer was removed on the way.
            Some(_) => (sasl::SCRAM_SHA_256, sasl::ChannelBinding::unrequested()),
            None => (sasl::SCRAM_SHA_256, sasl::ChannelBinding::unsupported()),
        };
        self.is_bound = mechanism == sasl::SCRAM_SHA_256_PLUS;
        let scram = sasl::ScramSha256::new(password, how);
        frontend::sasl_initial_response(mechanism, scram.message(), out)
            .map_err(|error| unsendable(&error))?;
        self.stage = Stage::Challenge(scram);
        Ok(())
    }

    fn be_let_in(&mut self) -> Result<(), Fault> {
        let method = match (&self.stage, self.asked) {
            (Stage::Begun, _) => Method::None,
            (Stage::Answered, Some(method)) => method,
            _ => return Err(malformed("a request for a proof out of turn")),
        };
        if !self.terms.allowed.allows(method) {
            return Err(not_allowed(method));
        }
        if method == Method::None && self.terms.binding == ChannelBinding::Require {
            return Err(not_bound("the server lets users in without asking"));
        }
        self.stage = Stage::LetIn(method);
        Ok(())
    }
}

/// The fault of a message that cannot be parsed.
fn of_reading(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => cut(),
        _ => malformed(&format!("something that is not PostgreSQL: {error}")),
    }
}

/// The server cannot prove that it knows the password.
fn unproved(cause: &io::Error) -> Fault {
    Fault::session(
        FaultKind::Malformed,
        format!(
            "no logon: the server's part of SCRAM is wrong: {}",
            words(&cause.to_string())
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(binding: ChannelBinding) -> Terms {
        Terms {
            user: "headcount".to_owned(),
            password: Some(Password::new("only a test")),
            allowed: RequireAuth::of(&Method::ALL),
            binding,
        }
    }

    /// The answer to one request.
    fn answer(binding: ChannelBinding, can_bind: bool, body: &[u8]) -> Result<Vec<u8>, Fault> {
        let terms = terms(binding);
        let ground = Ground {
            tls: None,
            end_point: can_bind.then(|| vec![7; 32]),
        };
        let (mut logon, mut out) = (Logon::new(&terms, ground), BytesMut::new());
        let tag = tag::AUTHENTICATION;
        let _ = logon.take(&Message { tag, body }, &mut out)?;
        Ok(out.to_vec())
    }

    const BOTH: &[u8] = b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0";
    const ONE: &[u8] = b"\0\0\0\x0aSCRAM-SHA-256\0\0";
    const CLEARTEXT: &[u8] = b"\0\0\0\x03";

    #[test]
    fn a_proof_states_whether_it_is_or_could_be_bound() {
        use ChannelBinding::{Disable, Prefer, Require};
        // What libpq sends (RFC 5802, 7): p= is bound, y supports binding, n does not.
        for (binding, can_bind, offered, name, flag) in [
            (
                Prefer,
                true,
                BOTH,
                "SCRAM-SHA-256-PLUS",
                "p=tls-server-end-point,,",
            ),
            (
                Require,
                true,
                BOTH,
                "SCRAM-SHA-256-PLUS",
                "p=tls-server-end-point,,",
            ),
            (Prefer, true, ONE, "SCRAM-SHA-256", "y,,"),
            (Disable, true, BOTH, "SCRAM-SHA-256", "n,,"),
            (Prefer, false, ONE, "SCRAM-SHA-256", "n,,"),
        ] {
            let sent = answer(binding, can_bind, offered).unwrap();
            let text = String::from_utf8_lossy(&sent[5..]).into_owned();
            let (sent_name, rest) = text.split_once('\0').unwrap();
            assert_eq!(sent_name, name, "{binding:?}");
            assert!(rest[4..].starts_with(flag), "{binding:?}: {text}");
        }
    }

    #[test]
    fn a_required_binding_is_never_left_out() {
        let refused = |can_bind, body: &[u8]| {
            let fault = answer(ChannelBinding::Require, can_bind, body).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Login);
            fault.message.to_string()
        };
        assert!(refused(true, ONE).starts_with("the server does not offer SCRAM-SHA-256-PLUS"));
        assert!(refused(false, ONE).starts_with("the connection has no TLS"));
        assert!(refused(true, CLEARTEXT).contains("in another way, and channel_binding=require"));
        assert!(refused(true, &OK).starts_with("the server lets users in without asking"));
    }

    #[test]
    fn an_offer_of_binding_without_tls_is_refused() {
        let fault = answer(ChannelBinding::Prefer, false, BOTH).unwrap_err();
        assert!(fault.message.contains("PLUS without TLS"), "{fault}");
    }

    #[test]
    fn the_servers_words_about_a_proof_are_quoted_in_part_and_on_one_line() {
        let words = format!("SCRAM error: \x1b[31m{}", "x".repeat(9000));
        let message = unproved(&io::Error::other(words)).message;
        assert!(message.contains("SCRAM error:  [31mxxx"), "{message}");
        assert!(message.len() < 300, "{message}");
    }

    #[test]
    fn an_ok_in_the_middle_of_a_proof_is_refused() {
        let terms = terms(ChannelBinding::Prefer);
        let (mut logon, mut out) = (Logon::new(&terms, Ground::default()), BytesMut::new());
        let mut take = |body| {
            let tag = tag::AUTHENTICATION;
            logon.take(&Message { tag, body }, &mut out).map(drop)
        };
        take(ONE).unwrap();
        let fault = take(&OK).unwrap_err();
        assert!(fault.message.contains("out of turn"), "{fault}");
    }
}
