//! LOCK (MS-SMB2 2.2.26).

use headcount_tree::lock::Lock;

use super::FileId;
use super::fields::Put;

const FAIL_IMMEDIATELY: u32 = 0x10;

/// Appends the body: one range, to fail at once if others hold a lock (flags: MS-SMB2 2.2.26.1).
pub fn encode(out: &mut Vec<u8>, file: &FileId, lock: Lock, offset: u64, length: u64) {
    out.put_u16(48);
    out.put_u16(1);
    out.put_u32(0);
    out.put(file);
    out.put_u64(offset);
    out.put_u64(length);
    out.put_u32(match lock {
        Lock::Shared => 1 | FAIL_IMMEDIATELY,
        Lock::Exclusive => 2 | FAIL_IMMEDIATELY,
        Lock::None => 4,
    });
    out.put_u32(0);
}
