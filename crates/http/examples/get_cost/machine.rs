//! What the kernel reports about processes, and which processor they run on.

use std::fs;

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process so far, all threads.
pub fn own_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// CPU time of the children of this process that have ended, in ns (fields 16 and 17 of
/// `proc_pid_stat(5)`).
pub fn children_cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.map(|word| word.parse::<u64>().unwrap()).sum();
    ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second()
}

/// Stolen time and all time of the machine, in ticks (`proc_stat(5)`).
pub fn stolen() -> (u64, u64) {
    let text = fs::read_to_string("/proc/stat").unwrap();
    let line = text.lines().next().unwrap();
    let ticks: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .map(|word| word.parse().unwrap())
        .collect();
    (ticks[7], ticks[..8].iter().sum())
}

/// Resident memory of a process (its number, or `self`); `None` if it has ended.
pub fn resident_kib(process: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Pins this process, and what it starts from now on, to one processor.
pub fn stay_on(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor);
    sched_setaffinity(None, &set).unwrap();
}
