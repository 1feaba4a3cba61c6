//! Authentication: `NTLMv2` (MS-NLMP) inside SPNEGO (RFC 4178), and the keys derived from it.

pub mod encrypt;
#[cfg(test)]
mod hex;
pub mod kdf;
pub mod ntlm;
pub mod ntlm_message;
pub mod sign;
pub mod spnego;
