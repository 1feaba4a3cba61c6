//! Logging on: SESSION_SETUP in two rounds (MS-SMB2 3.2.4.2.3, 3.2.5.3).
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};

use super::session::{SmbSession, other_form, refuse};
use crate::auth::kdf::signing_key;
use crate::auth::ntlm::{Key, first_signature};
use crate::auth::ntlm_message::{Challenge, Logon, authenticate, negotiate};
use crate::auth::sign::Signer;
use crate::auth::spnego;
use crate::connection::Ask;
use crate::options::SigningPolicy;
use crate::random;
use crate::wire::header::Command;
use crate::wire::negotiate::Dialect;
use crate::wire::session::{ENCRYPT_DATA, IS_GUEST, IS_NULL, encode_setup, parse_setup};
use crate::wire::status::Status;

impl SmbSession {
    /// Logs the user on to the connection.
    pub(super) async fn logon(&mut self) -> Result<(), Fault> {
        let (name, owner_key) = self.shared.credentials(self.number);
        let of_user = |fault: Fault| Fault {
            message: format!("user {name}: {}", fault.message).into(),
            ends_session: true,
            ..fault
        };
        self.forget();
        self.set_up(&name, &owner_key).await.map_err(of_user)
    }

    async fn set_up(&mut self, name: &str, owner_key: &Key) -> Result<(), Fault> {
        let state = &mut self.connection.state;
        state.hashing = (state.agreed.dialect == Dialect::Smb311).then_some(state.preauth);
        let first = negotiate();
        let (session, second) = self.first_round(&spnego::initial(&first)).await?;
        let challenge = spnego::inside(&second)
            .and_then(Challenge::parse)
            .ok_or_else(|| {
                let sentence = "SESSION_SETUP: the server offers no logon with NTLM";
                Fault::session(FaultKind::Login, sentence)
            })?;
        let logon = Logon {
            user: name,
            domain: &self.shared.domain,
            owner_key,
            own_challenge: random::bytes()?,
            session_key: random::bytes()?,
            filetime: self.connection.state.agreed.filetime,
        };
        let (third, key) = authenticate(&logon, &first, &challenge);
        self.connection.state.session = session;
        let mic = first_signature(&key, &spnego::mechanisms());
        let last = self.last_round(&spnego::response(&third, &mic), &key).await;
        if last.is_err() {
            self.connection.state.session = 0;
        }
        last
    }

    /// The number of the session and the server's token.
    async fn first_round(&mut self, token: &[u8]) -> Result<(u64, Vec<u8>), Fault> {
        let mode = self.shared.wanted.security_mode() as u8;
        let ask = Ask::new(Command::SessionSetup, 0);
        self.connection
            .exchange(
                ask,
                |out| encode_setup(out, mode, token),
                |head, body| {
                    if head.status != Status::MORE_PROCESSING_REQUIRED {
                        return Err(as_login(head.status.fault("SESSION_SETUP")));
                    }
                    let (_, token) =
                        parse_setup(body).ok_or_else(|| other_form(Command::SessionSetup))?;
                    Ok((head.session, token.to_vec()))
                },
            )
            .await
    }

    async fn last_round(&mut self, token: &[u8], session_key: &Key) -> Result<(), Fault> {
        let wanted = self.shared.wanted.security_mode() as u8;
        let ask = Ask::new(Command::SessionSetup, 0);
        let message = self
            .connection
            .send(ask, |out| encode_setup(out, wanted, token))
            .await?;
        // The key depends on what was just sent, and the answer is signed with it already.
        let state = &mut self.connection.state;
        let dialect = state.agreed.dialect;
        let hash = state.hashing.take().unwrap_or(state.preauth);
        let key = signing_key(dialect, session_key, &hash);
        state.signer = Some(Signer::new(state.agreed.algorithm, &key));
        let must_be_signed = dialect == Dialect::Smb311;
        let answered = self
            .connection
            .receive(Command::SessionSetup, message, |head, body| {
                refuse(head, || "SESSION_SETUP".into()).map_err(as_login)?;
                let (flags, _) =
                    parse_setup(body).ok_or_else(|| other_form(Command::SessionSetup))?;
                check_flags(flags)?;
                if must_be_signed && !head.is_signed() {
                    let sentence = "SESSION_SETUP: the answer is not signed";
                    return Err(Fault::session(FaultKind::Malformed, sentence));
                }
                Ok(())
            })
            .await;
        let signs = self.shared.wanted.signing == SigningPolicy::Required
            || self.connection.state.agreed.must_sign();
        self.connection.state.is_signing = signs && answered.is_ok();
        if answered.is_err() {
            self.connection.state.signer = None;
        }
        answered
    }
}

/// A refusal while logging on is one of the logon, whatever its code.
fn as_login(fault: Fault) -> Fault {
    match fault.kind {
        FaultKind::Refused => Fault {
            kind: FaultKind::Login,
            ends_session: true,
            ..fault
        },
        _ => fault,
    }
}

fn check_flags(flags: u16) -> Result<(), Fault> {
    let sentence = if flags & (IS_GUEST | IS_NULL) != 0 {
        "the server let the user in as a guest only: the account does not exist there"
    } else if flags & ENCRYPT_DATA != 0 {
        "the server wants the session encrypted, which is not supported yet"
    } else {
        return Ok(());
    };
    Err(Fault::session(FaultKind::Login, sentence))
}
