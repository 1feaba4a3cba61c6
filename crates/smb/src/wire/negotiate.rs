//! NEGOTIATE (MS-SMB2 2.2.3, 2.2.4).

use serde::Deserialize;

use super::fields::{Put, bytes, slice, u16_at, u32_at, u64_at};
use super::part;

/// A dialect of SMB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Dialect {
    /// SMB 2.1, of Windows 7 and Server 2008 R2.
    #[serde(rename = "2.1")]
    Smb21,
    /// SMB 3.0.2, of Windows 8.1 and Server 2012 R2.
    #[serde(rename = "3.0.2")]
    Smb302,
    /// SMB 3.1.1, of Windows 10 and Server 2016 and later.
    #[serde(rename = "3.1.1")]
    Smb311,
}

impl Dialect {
    /// All of them, oldest first.
    pub const ALL: [Self; 3] = [Self::Smb21, Self::Smb302, Self::Smb311];

    /// Its code on the wire.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Smb21 => 0x0210,
            Self::Smb302 => 0x0302,
            Self::Smb311 => 0x0311,
        }
    }

    /// Its name, as people say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smb21 => "2.1",
            Self::Smb302 => "3.0.2",
            Self::Smb311 => "3.1.1",
        }
    }
}

/// How messages are signed (MS-SMB2 2.2.3.1.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SigningAlgorithm {
    /// HMAC-SHA256: dialect 2.1, or 3.1.1 where agreed.
    HmacSha256,
    /// AES-128-CMAC: dialect 3.0.2, or 3.1.1.
    AesCmac,
    /// AES-128-GMAC: dialect 3.1.1, the cheapest of them.
    AesGmac,
}

impl SigningAlgorithm {
    const fn code(self) -> u16 {
        match self {
            Self::HmacSha256 => 0,
            Self::AesCmac => 1,
            Self::AesGmac => 2,
        }
    }

    fn from_code(code: u16) -> Option<Self> {
        [Self::HmacSha256, Self::AesCmac, Self::AesGmac]
            .into_iter()
            .find(|algorithm| algorithm.code() == code)
    }
}

/// How messages are encrypted (MS-SMB2 2.2.3.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cipher {
    /// AES-128-CCM: all that dialect 3.0.2 has.
    Aes128Ccm,
    /// AES-128-GCM: dialect 3.1.1, several times cheaper.
    Aes128Gcm,
}

impl Cipher {
    /// The ciphers offered in 3.1.1, preferred first.
    const OFFERED: [Self; 2] = [Self::Aes128Gcm, Self::Aes128Ccm];

    const fn code(self) -> u16 {
        match self {
            Self::Aes128Ccm => 1,
            Self::Aes128Gcm => 2,
        }
    }
}

/// The security mode: messages can be signed (MS-SMB2 2.2.3).
pub const SIGNING_ENABLED: u16 = 1;
/// The security mode: messages must be signed.
pub const SIGNING_REQUIRED: u16 = 2;
/// The capability: requests of more than 64 KiB, which cost several credits.
pub const LARGE_MTU: u32 = 4;
/// The capability: messages can be encrypted; servers set it in dialect 3.0.2 only.
pub const ENCRYPTION: u32 = 0x40;

const PREAUTH_INTEGRITY: u16 = 1;
const ENCRYPTION_CAPABILITIES: u16 = 2;
const SIGNING_CAPABILITIES: u16 = 8;
const SHA_512: u16 = 1;

/// A NEGOTIATE request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The dialects it offers.
    pub dialects: &'a [Dialect],
    /// The security mode.
    pub security_mode: u16,
    /// The client's GUID, random for each connection: servers group the connections of one client.
    pub client: [u8; 16],
    /// For 3.1.1: signing algorithms, preferred first.
    pub algorithms: &'a [SigningAlgorithm],
    /// Whether encryption is offered.
    pub encrypts: bool,
    /// For 3.1.1: random.
    pub salt: [u8; 32],
}

impl Request<'_> {
    /// The client's capabilities. Dialect 2.1 has large requests, too, but no encryption.
    #[must_use]
    pub fn capabilities(dialects: &[Dialect], encrypts: bool) -> u32 {
        let can_encrypt = dialects.iter().any(|dialect| *dialect > Dialect::Smb21);
        LARGE_MTU
            | if encrypts && can_encrypt {
                ENCRYPTION
            } else {
                0
            }
    }

    /// Appends the body.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let has_contexts = self.dialects.contains(&Dialect::Smb311);
        out.put_u16(36);
        out.put_u16(self.dialects.len() as u16);
        out.put_u16(self.security_mode);
        out.put_u16(0);
        out.put_u32(Self::capabilities(self.dialects, self.encrypts));
        out.put(&self.client);
        let dialects_end = 36 + 2 * self.dialects.len();
        let contexts_at = dialects_end.next_multiple_of(8);
        out.put_u32(if has_contexts {
            (super::HEADER_BYTES + contexts_at) as u32
        } else {
            0
        });
        out.put_u16(if has_contexts {
            2 + u16::from(self.encrypts)
        } else {
            0
        });
        out.put_u16(0);
        for dialect in self.dialects {
            out.put_u16(dialect.code());
        }
        if has_contexts {
            out.put_zeros(contexts_at - dialects_end);
            self.encode_contexts(out, start);
        }
    }

    /// Appends the contexts, each at a multiple of eight bytes from `start`.
    fn encode_contexts(&self, out: &mut Vec<u8>, start: usize) {
        out.put_u16(PREAUTH_INTEGRITY);
        out.put_u16(6 + 32);
        out.put_u32(0);
        out.put_u16(1);
        out.put_u16(32);
        out.put_u16(SHA_512);
        out.put(&self.salt);
        let list = |out: &mut Vec<u8>, kind: u16, codes: &[u16]| {
            out.put_zeros((out.len() - start).next_multiple_of(8) - (out.len() - start));
            out.put_u16(kind);
            out.put_u16(2 + 2 * codes.len() as u16);
            out.put_u32(0);
            out.put_u16(codes.len() as u16);
            for code in codes {
                out.put_u16(*code);
            }
        };
        if self.encrypts {
            let ciphers = Cipher::OFFERED.map(Cipher::code);
            list(out, ENCRYPTION_CAPABILITIES, &ciphers);
        }
        let algorithms = self.algorithms.iter().map(|algorithm| algorithm.code());
        list(out, SIGNING_CAPABILITIES, &algorithms.collect::<Vec<_>>());
    }
}

/// A NEGOTIATE response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Response<'a> {
    /// The code of the dialect chosen.
    pub dialect: u16,
    /// The security mode.
    pub security_mode: u16,
    /// The server's GUID.
    pub server: [u8; 16],
    /// The server's capabilities.
    pub capabilities: u32,
    /// Bytes of the largest request other than a write.
    pub max_transact: u32,
    /// Bytes of the largest read.
    pub max_read: u32,
    /// Bytes of the largest write.
    pub max_write: u32,
    /// The server's time, in 100 ns since 1601 (MS-DTYP 2.3.3).
    pub filetime: u64,
    /// The token with which the logon starts.
    pub token: &'a [u8],
    /// For 3.1.1: the signing algorithm chosen, if the server names one.
    pub signing: Option<SigningAlgorithm>,
    /// The cipher, if messages can be encrypted.
    pub cipher: Option<Cipher>,
    /// For 3.1.1: whether the messages before the logon are protected by SHA-512.
    pub has_preauth: bool,
}

impl<'a> Response<'a> {
    /// Reads the body.
    #[must_use]
    pub fn parse(body: &'a [u8]) -> Option<Self> {
        if u16_at(body, 0)? != 65 {
            return None;
        }
        let dialect = u16_at(body, 4)?;
        let mut response = Self {
            dialect,
            security_mode: u16_at(body, 2)?,
            server: bytes(body, 8)?,
            capabilities: u32_at(body, 24)?,
            max_transact: u32_at(body, 28)?,
            max_read: u32_at(body, 32)?,
            max_write: u32_at(body, 36)?,
            filetime: u64_at(body, 40)?,
            token: part(body, u16_at(body, 56)?.into(), u16_at(body, 58)?.into())?,
            signing: None,
            cipher: None,
            has_preauth: false,
        };
        if dialect == Dialect::Smb302.code() && response.capabilities & ENCRYPTION != 0 {
            response.cipher = Some(Cipher::Aes128Ccm);
        }
        if dialect == Dialect::Smb311.code() {
            let at = (u32_at(body, 60)? as usize).checked_sub(super::HEADER_BYTES)?;
            response.read_contexts(body, at, u16_at(body, 6)?)?;
        }
        Some(response)
    }

    fn read_contexts(&mut self, body: &[u8], mut at: usize, count: u16) -> Option<()> {
        for _ in 0..count {
            let length = usize::from(u16_at(body, at.checked_add(2)?)?);
            let data = slice(body, at.checked_add(8)?, length)?;
            match u16_at(body, at)? {
                PREAUTH_INTEGRITY => self.has_preauth = u16_at(data, 4)? == SHA_512,
                SIGNING_CAPABILITIES => {
                    self.signing = Some(SigningAlgorithm::from_code(u16_at(data, 2)?)?);
                }
                ENCRYPTION_CAPABILITIES => {
                    // 0: the server supports none of the offered ciphers (MS-SMB2 2.2.4.1.2).
                    let code = u16_at(data, 2)?;
                    self.cipher = Cipher::OFFERED
                        .into_iter()
                        .find(|cipher| cipher.code() == code);
                    if code != 0 && self.cipher.is_none() {
                        return None;
                    }
                }
                _ => {}
            }
            at = (at + 8 + length).next_multiple_of(8);
        }
        Some(())
    }
}
