//! Has the server confirm the negotiation (MS-SMB2 3.2.5.5, 3.2.5.14.12): NEGOTIATE itself is not
//! signed, so a man in the middle may have changed it.

use headcount_load::{Fault, FaultKind};

use super::agreed::{Agreed, Wanted};
use super::judge::has_no_key;
use super::{Ask, Connection};
use crate::wire::NO_FILE;
use crate::wire::header::{Command, Response};
use crate::wire::ioctl::{self, Negotiated};
use crate::wire::status::Status;

/// Bytes of a confirmation (MS-SMB2 2.2.32.6).
const ANSWER_BYTES: u32 = 24;

impl Connection {
    /// Asks the server in a signed or encrypted message what it negotiated, and compares
    /// (`FSCTL_VALIDATE_NEGOTIATE_INFO`). After a fault the connection must be closed.
    pub async fn validate(&mut self, tree: u32, wanted: &Wanted) -> Result<(), Fault> {
        let agreed = self.state.agreed;
        let ask = Ask {
            must_sign: true,
            ..Ask::new(Command::Ioctl, tree)
        };
        let mut input = Vec::with_capacity(32);
        ioctl::encode_negotiation(
            &mut input,
            wanted.capabilities(),
            &agreed.client,
            wanted.security_mode(),
            &wanted.dialects,
        );
        let control = ioctl::VALIDATE_NEGOTIATE_INFO;
        let sent = self
            .send(ask, |out| {
                ioctl::encode(out, control, &NO_FILE, ANSWER_BYTES, &input);
            })
            .await?;
        let has_key = self.state.signer.is_some();
        let judged = self
            .receive(ask, sent, |head, body| {
                // The receiver has already verified the signature or decrypted the message.
                let is_protected = sent.is_encrypted || has_key && head.is_signed();
                Ok(judge(head, body, is_protected, &agreed))
            })
            .await;
        // A server that remembers another negotiation closes the connection (3.3.5.15.12).
        judged.unwrap_or_else(|fault| {
            let disagreed = disagree(&fault.message, &agreed);
            Err(Fault {
                kind: fault.kind,
                ..disagreed
            })
        })
    }
}

/// Judges the response to the validation request.
fn judge(head: &Response, body: &[u8], is_protected: bool, agreed: &Agreed) -> Result<(), Fault> {
    let what = "IOCTL (VALIDATE_NEGOTIATE_INFO)";
    let status = head.status;
    if has_no_key(status) {
        return Err(status.fault(what));
    }
    if !is_protected {
        return Err(disagree("its confirmation is not signed", agreed));
    }
    match status {
        // Servers that only speak SMB 2 do not support the control, and sign the error.
        _ if status.is_unsupported() || status == Status::FILE_CLOSED => Ok(()),
        Status::ACCESS_DENIED => Err(disagree(&status.name(), agreed)),
        _ if status.is_error() => Err(Fault {
            ends_session: true,
            ..status.fault(what)
        }),
        _ => {
            let found = ioctl::parse(body).and_then(Negotiated::parse);
            let found =
                found.ok_or_else(|| disagree("its confirmation has another form", agreed))?;
            compare(&found, agreed)
        }
    }
}

/// Compares the confirmation with the server's answer to NEGOTIATE.
fn compare(found: &Negotiated, agreed: &Agreed) -> Result<(), Fault> {
    let expected = Negotiated {
        capabilities: agreed.capabilities,
        server: agreed.server,
        security_mode: agreed.security_mode,
        dialect: agreed.dialect.code(),
    };
    if *found == expected {
        return Ok(());
    }
    Err(disagree("it remembers another", agreed))
}

/// The fault of a negotiation that the server does not confirm.
fn disagree(reason: &str, agreed: &Agreed) -> Fault {
    let dialect = agreed.dialect.name();
    Fault::session(
        FaultKind::Malformed,
        format!(
            "the server's answers do not agree with its negotiation ({reason}): somebody in \
             between may have lowered the dialect to {dialect} or changed its options. Find out \
             who answers in the server's place, or set dialects to the newest that the server has"
        ),
    )
}

#[cfg(test)]
mod tests;
