//! The hash of passwords that Samba's files hold.

use headcount_smb::auth::ntlm::password_hash;
use pyo3::prelude::*;

/// The NT hash of a password as Samba's smbpasswd file has it: 32 capital hexadecimal digits.
/// It protects nothing: whoever has it can log on.
#[pyfunction]
pub fn nt_hash(password: &str) -> String {
    use std::fmt::Write as _;

    password_hash(password)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02X}"); // a string takes everything
            text
        })
}
