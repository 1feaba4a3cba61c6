//! CPU time and memory of processes.

use std::fs;

/// CPU time of this process so far, as the scheduler counts it; it has one thread.
pub fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// Clock ticks in user code and in the kernel so far (fields 14 and 15 of proc_pid_stat(5)).
pub fn user_share() -> (u64, u64) {
    let ticks = ticks();
    (ticks[0], ticks[1])
}

/// CPU time of the children of this process that have ended, in ns (fields 16 and 17).
pub fn children_ns() -> u64 {
    let ticks = ticks();
    (ticks[2] + ticks[3]) * 1_000_000_000 / rustix::param::clock_ticks_per_second()
}

fn ticks() -> [u64; 4] {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = text.rsplit_once(')').unwrap();
    let mut ticks = fields
        .split_whitespace()
        .skip(11)
        .map(|word| word.parse().unwrap());
    std::array::from_fn(|_| ticks.next().unwrap())
}

/// Resident memory of this process.
pub fn resident_kib() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
