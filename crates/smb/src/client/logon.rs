//! Logging on: SESSION_SETUP in two rounds (MS-SMB2 3.2.4.2.3, 3.2.5.3).
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind};

use super::answer::{cannot_encrypt, other_form, refuse, unencrypted};
use super::session::SmbSession;
use crate::auth::kdf::{cipher_keys, signing_key};
use crate::auth::ntlm::{Key, Side, first_signature};
use crate::auth::ntlm_message::{Challenge, Logon, authenticate, negotiate};
use crate::auth::sign::Signer;
use crate::auth::spnego;
use crate::connection::Ask;
use crate::connection::encryption::Encryption;
use crate::connection::faults::malformed;
use crate::options::{EncryptionPolicy, SigningPolicy};
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
        self.forget_session();
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
                let sentence = "SESSION_SETUP: the server offers no NTLM logon";
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
        let mechanisms = spnego::mechanisms();
        let mic = |side| first_signature(&key, side, challenge.exchanges_keys(), &mechanisms);
        let token = spnego::response(&third, &mic(Side::Client));
        let last = self.last_round(&token, &key, &mic(Side::Server)).await;
        if last.is_err() {
            self.connection.state.end_session();
        }
        last
    }

    /// The number of the session and the server's token.
    async fn first_round(&mut self, token: &[u8]) -> Result<(u64, Vec<u8>), Fault> {
        let mode = self.shared.wanted.security_mode() as u8;
        let previous = self.lost;
        let ask = Ask::new(Command::SessionSetup, 0);
        self.connection
            .exchange(
                ask,
                |out| encode_setup(out, mode, previous, token),
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

    async fn last_round(
        &mut self,
        token: &[u8],
        session_key: &Key,
        server_mic: &Key,
    ) -> Result<(), Fault> {
        let (wanted, previous) = (&self.shared.wanted, self.lost);
        let security_mode = wanted.security_mode() as u8;
        let ask = Ask::new(Command::SessionSetup, 0);
        let sent = self
            .connection
            .send(ask, |out| encode_setup(out, security_mode, previous, token))
            .await?;
        // The keys depend on the request just sent, and the response is already signed with one.
        let state = &mut self.connection.state;
        let agreed = state.agreed;
        let hash = state.hashing.take().unwrap_or(state.preauth);
        let key = signing_key(agreed.dialect, session_key, &hash);
        state.signer = Some(Signer::new(agreed.algorithm, &key));
        let must_be_signed = agreed.dialect == Dialect::Smb311;
        let flags = self
            .connection
            .receive(ask, sent, |head, body| {
                refuse(head, || "SESSION_SETUP".into())
                    .map_err(|fault| unencrypted(fault, head.status, wanted.encryption, &agreed))
                    .map_err(as_login)?;
                let (flags, token) =
                    parse_setup(body).ok_or_else(|| other_form(Command::SessionSetup))?;
                check_flags(flags)?;
                if must_be_signed && !head.is_signed() {
                    return Err(malformed("SESSION_SETUP: the answer is not signed".into()));
                }
                if spnego::server_mic(token).is_some_and(|found| found != server_mic) {
                    let sentence = "SESSION_SETUP: the server's mechListMIC is wrong: the list of \
                                    mechanisms was changed in transit";
                    return Err(malformed(sentence.into()));
                }
                Ok(flags)
            })
            .await?;
        let state = &mut self.connection.state;
        state.is_signing = wanted.signing == SigningPolicy::Required || agreed.must_sign();
        if let Some(cipher) = agreed.cipher {
            let keys = cipher_keys(agreed.dialect, session_key, &hash);
            state.encryption = Encryption::ready(cipher, keys);
        }
        let server_insists = flags & ENCRYPT_DATA != 0;
        if server_insists || wanted.encryption == EncryptionPolicy::Required {
            if !state.encryption.begin() {
                return Err(cannot_encrypt("the server", wanted.encryption, &agreed));
            }
            // Encrypted messages are not signed as well.
            state.signer = None;
            state.is_signing = false;
        }
        Ok(())
    }
}

/// Turns a refusal during logon into a login fault, whatever its code.
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
    if flags & (IS_GUEST | IS_NULL) == 0 {
        return Ok(());
    }
    let sentence = "the server let the user in as a guest only: the account does not exist there";
    Err(Fault::session(FaultKind::Login, sentence))
}
