//! Random numbers from the kernel, for challenges and identifiers. What users do is drawn from the
//! engine's repeatable streams instead.

use headcount_load::{Fault, FaultKind};
use rustix::rand::{GetRandomFlags, getrandom};

/// `N` random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    // Requests of up to 256 bytes are not cut short (getrandom(2)).
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(length) if length == N => Ok(bytes),
        _ => Err(Fault::session(
            FaultKind::Connect,
            "the kernel gives no random numbers",
        )),
    }
}
