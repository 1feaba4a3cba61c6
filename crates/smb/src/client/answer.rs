//! What a response means: a fault of the step, or a refusal that a program may expect.

use headcount_load::{Fault, FaultKind};
use headcount_tree::program::answer::Answer;
use headcount_tree::session::backend::Refusal;

use crate::connection::Agreed;
use crate::options::EncryptionPolicy;
use crate::wire::header::{Command, Response};
use crate::wire::negotiate::Dialect;
use crate::wire::status::Status;

/// The fault that a failed response means.
pub(super) fn refuse(head: &Response, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if head.status.is_error() {
        Err(head.status.fault(&what()))
    } else {
        Ok(())
    }
}

/// The refusal that a failed response means.
pub(super) fn refused(head: &Response, what: impl FnOnce() -> String) -> Result<(), Refusal> {
    if head.status == Status::SUCCESS {
        return Ok(());
    }
    let answer = Answer::of_nt_status(head.status.0);
    // NO_MORE_FILES is only a warning, but here it means that nothing was found.
    if !head.status.is_error() && answer != Answer::Missing {
        return Ok(());
    }
    Err(Refusal {
        answer,
        fault: head.status.fault(&what()),
    })
}

/// The fault of a response whose body does not fit its command.
pub(super) fn other_form(command: Command) -> Fault {
    let sentence = format!(
        "{}: the answer does not have the form of its command",
        command.name()
    );
    Fault::session(FaultKind::Malformed, sentence)
}

/// Fails with [`other_form`] unless `has_form`.
pub(super) fn in_form(command: Command, has_form: bool) -> Result<(), Refusal> {
    if has_form {
        Ok(())
    } else {
        Err(other_form(command).into())
    }
}

/// The fault of a server or share that requires encryption in a session that has none.
pub(super) fn cannot_encrypt(who: &str, policy: EncryptionPolicy, agreed: &Agreed) -> Fault {
    let sentence = format!(
        "{who} requires encrypted messages, but {}",
        why_unencrypted(policy, agreed)
    );
    Fault::session(FaultKind::Refused, sentence)
}

/// Adds to a refusal that missing encryption may be the reason: servers that require encryption do
/// not say so to clients that did not offer it (MS-SMB2 3.3.5.5.3, 3.3.5.7).
pub(super) fn unencrypted(
    fault: Fault,
    status: Status,
    policy: EncryptionPolicy,
    agreed: &Agreed,
) -> Fault {
    if status != Status::ACCESS_DENIED || agreed.cipher.is_some() {
        return fault;
    }
    let message = format!(
        "{}. It may require encrypted messages, but {}",
        fault.message,
        why_unencrypted(policy, agreed)
    );
    Fault {
        message: message.into(),
        ..fault
    }
}

/// Why a session has no encryption, and what to do about it.
fn why_unencrypted(policy: EncryptionPolicy, agreed: &Agreed) -> String {
    if policy == EncryptionPolicy::Off {
        return "encryption is switched off for this run: set encryption to offered or required"
            .into();
    }
    match agreed.dialect {
        Dialect::Smb21 => "dialect 2.1 has no encryption: offer dialect 3.0.2 or 3.1.1".into(),
        dialect => format!("no cipher was agreed on in dialect {}", dialect.name()),
    }
}
