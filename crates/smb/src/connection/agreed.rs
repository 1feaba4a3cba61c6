//! What the client wants from a connection, and what both sides agreed on (MS-SMB2 3.2.5.2).

use headcount_tree::block::UNIT_BYTES;

use crate::options::{EncryptionPolicy, SigningPolicy};
use crate::wire::negotiate::{
    Cipher, Dialect, LARGE_MTU, Request, Response, SIGNING_ENABLED, SIGNING_REQUIRED,
    SigningAlgorithm,
};

/// A server's limit of a read, a write or a listing counts as at least this: with less, hardly
/// anything fits into a message. Windows has 64 KiB or more (MS-SMB2 3.3.5.4); in other servers the
/// limits are settings.
const LEAST_BYTES: u32 = 4 << 10;
/// The most that is used of such a limit.
const MOST_BYTES: u32 = 16 << 20;

/// What the client wants from a connection.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Dialects offered, oldest first.
    pub dialects: Vec<Dialect>,
    /// Signing algorithms offered in 3.1.1, preferred first.
    pub algorithms: Vec<SigningAlgorithm>,
    /// When messages are signed.
    pub signing: SigningPolicy,
    /// When messages are encrypted.
    pub encryption: EncryptionPolicy,
}

impl Wanted {
    /// Whether the server is told that the client can encrypt.
    #[must_use]
    pub fn encrypts(&self) -> bool {
        self.encryption != EncryptionPolicy::Off
    }

    /// The capabilities that go with dialects and policy.
    pub(super) fn capabilities(&self) -> u32 {
        Request::capabilities(&self.dialects, self.encrypts())
    }

    /// Whether the server must confirm a negotiation that ended in this dialect (MS-SMB2 3.2.5.5).
    /// 3.1.1 binds the keys to the negotiation. If only 2.1 was offered, no downgrade is possible.
    #[must_use]
    pub fn must_validate(&self, dialect: Dialect) -> bool {
        let newest = self.dialects.iter().max();
        dialect < Dialect::Smb311 && newest.is_some_and(|newest| *newest > Dialect::Smb21)
    }

    /// The security mode that goes with the policy.
    #[must_use]
    pub const fn security_mode(&self) -> u16 {
        match self.signing {
            SigningPolicy::Required => SIGNING_ENABLED | SIGNING_REQUIRED,
            SigningPolicy::Off | SigningPolicy::Offered => SIGNING_ENABLED,
        }
    }
}

/// What both sides agreed on.
#[derive(Debug, Clone, Copy)]
pub struct Agreed {
    /// The dialect.
    pub dialect: Dialect,
    /// How messages are signed, if they are.
    pub algorithm: SigningAlgorithm,
    /// How messages are encrypted, if they are; none if they cannot be.
    pub cipher: Option<Cipher>,
    /// The client's GUID.
    pub client: [u8; 16],
    /// The server's GUID.
    pub server: [u8; 16],
    /// The server's capabilities.
    pub capabilities: u32,
    /// The server's security mode.
    pub security_mode: u16,
    /// Whether requests of more than 64 KiB are allowed.
    pub has_large_requests: bool,
    /// Bytes of the largest request other than a write.
    pub max_transact: u32,
    /// Bytes of the largest read.
    pub max_read: u32,
    /// Bytes of the largest write.
    pub max_write: u32,
    /// The server's time when it answered, in 100 ns since 1601.
    pub filetime: u64,
}

impl Agreed {
    /// The state before negotiation.
    #[must_use]
    pub const fn nothing(client: [u8; 16]) -> Self {
        Self {
            dialect: Dialect::Smb21,
            algorithm: SigningAlgorithm::HmacSha256,
            cipher: None,
            client,
            server: [0; 16],
            capabilities: 0,
            security_mode: 0,
            has_large_requests: false,
            max_transact: 64 << 10,
            max_read: 64 << 10,
            max_write: 64 << 10,
            filetime: 0,
        }
    }

    /// Whether the server requires signing.
    #[must_use]
    pub const fn must_sign(&self) -> bool {
        self.security_mode & SIGNING_REQUIRED != 0
    }

    pub(super) fn from_response(
        response: &Response<'_>,
        wanted: &Wanted,
        client: [u8; 16],
    ) -> Option<Self> {
        let dialect = *wanted
            .dialects
            .iter()
            .find(|dialect| dialect.code() == response.dialect)?;
        let algorithm = match dialect {
            Dialect::Smb21 => SigningAlgorithm::HmacSha256,
            Dialect::Smb302 => SigningAlgorithm::AesCmac,
            // Without a choice by the server, it is CMAC (MS-SMB2 3.2.5.2).
            Dialect::Smb311 => response.signing.unwrap_or(SigningAlgorithm::AesCmac),
        };
        Some(Self {
            dialect,
            algorithm,
            cipher: response.cipher.filter(|_| wanted.encrypts()),
            client,
            server: response.server,
            capabilities: response.capabilities,
            security_mode: response.security_mode,
            has_large_requests: response.capabilities & LARGE_MTU != 0,
            max_transact: response.max_transact.clamp(LEAST_BYTES, MOST_BYTES),
            max_read: in_units(response.max_read),
            max_write: in_units(response.max_write),
            filetime: response.filetime,
        })
    }
}

/// A server's limit of a read or a write in whole units, which files are written and checked in.
fn in_units(limit: u32) -> u32 {
    let limit = limit.clamp(LEAST_BYTES, MOST_BYTES);
    limit - limit % UNIT_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::{Smb21, Smb302, Smb311};

    #[test]
    fn only_dialects_that_may_have_been_lowered_are_validated() {
        for (offered, dialect, expected) in [
            (&Dialect::ALL[..], Smb21, true),
            (&Dialect::ALL[..], Smb302, true),
            (&Dialect::ALL[..], Smb311, false),
            (&[Smb21, Smb302], Smb21, true),
            (&[Smb302], Smb302, true),
            (&[Smb21], Smb21, false),
        ] {
            let wanted = Wanted {
                dialects: offered.to_vec(),
                algorithms: vec![SigningAlgorithm::AesCmac],
                signing: SigningPolicy::Offered,
                encryption: EncryptionPolicy::Offered,
            };
            let found = wanted.must_validate(dialect);
            assert_eq!(found, expected, "{offered:?} {dialect:?}");
        }
    }

    #[test]
    fn reads_and_writes_are_of_whole_units() {
        for (limit, expected) in [
            (0, 4096),
            (32_768, 32_768),
            (100_000, 98_304),
            (1_000_000, 999_424),
            (u32::MAX, 16 << 20),
        ] {
            assert_eq!(in_units(limit), expected, "{limit}");
        }
    }
}
