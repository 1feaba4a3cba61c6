//! A user's handles, by number.

/// How many files a user can have open.
pub const SLOTS: usize = 4;

/// An error if there is no such handle.
pub(crate) fn check_slot(at: u8) -> Result<(), String> {
    if usize::from(at) < SLOTS {
        return Ok(());
    }
    Err(format!("slot must be from 0 to {}; it is {at}", SLOTS - 1))
}
