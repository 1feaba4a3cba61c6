//! What this process uses: memory, CPU and I/O, as the system counts it.

use std::fs;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

/// Bytes this process has moved (proc(5), `/proc/pid/io`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Returned by read calls, from the cache too.
    pub read_bytes: u64,
    /// Passed to write calls.
    pub written_bytes: u64,
    /// Fetched from storage.
    pub storage_read_bytes: u64,
    /// Sent to storage, or about to be.
    pub storage_written_bytes: u64,
}

impl Moved {
    /// By this process so far; None if the system does not report it.
    #[must_use]
    pub fn now() -> Option<Self> {
        let text = fs::read_to_string("/proc/self/io").ok()?;
        let figure = |name: &str| field(&text, name);
        Some(Self {
            read_bytes: figure("rchar")?,
            written_bytes: figure("wchar")?,
            storage_read_bytes: figure("read_bytes")?,
            storage_written_bytes: figure("write_bytes")?,
        })
    }

    /// Since `before`.
    #[must_use]
    pub const fn since(self, before: Self) -> Self {
        Self {
            read_bytes: self.read_bytes - before.read_bytes,
            written_bytes: self.written_bytes - before.written_bytes,
            storage_read_bytes: self.storage_read_bytes - before.storage_read_bytes,
            storage_written_bytes: self.storage_written_bytes - before.storage_written_bytes,
        }
    }
}

/// Memory of this process that is resident now, in bytes.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    status("VmRSS")
}

/// The most memory of this process that was resident since [`forget_peak`], in bytes.
#[must_use]
pub fn peak_bytes() -> Option<u64> {
    status("VmHWM")
}

/// The part of [`resident_bytes`] that is backed by files: code and constants of programs and
/// libraries.
#[must_use]
pub fn file_bytes() -> Option<u64> {
    status("RssFile")
}

/// Resets the peak (proc(5), `/proc/pid/clear_refs`). If that is not possible, the peak counts from
/// the start of the process.
pub fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Has the system kill this process when `parent`, the process that started it, ends.
///
/// Returns false if `parent` has already ended, or this is not possible.
#[must_use]
pub fn end_with(parent: u32) -> bool {
    let asked = set_parent_process_death_signal(Some(Signal::KILL)).is_ok();
    let alive = getppid().is_some_and(|pid| pid.as_raw_nonzero().get().cast_unsigned() == parent);
    asked && alive
}

/// CPU time of this process so far, in nanoseconds.
#[must_use]
pub fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    Some(field(&text, name)? * 1024) // "kB", which are 1,024 bytes
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(found, _)| *found == name)
        .and_then(|(_, value)| value.split_whitespace().next()?.parse().ok())
}
