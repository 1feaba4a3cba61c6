//! The same load by wrk.

use std::process::{Command, Stdio};

use crate::machine::children_cpu_ns;
use crate::ours::Cost;

/// What a request costs wrk.
pub fn wrk(url: &str, keep_alive: bool, connections: u32, seconds: u64) -> Cost {
    let before_ns = children_cpu_ns();
    let mut command = Command::new("wrk");
    command.args([
        "-t1",
        &format!("-c{connections}"),
        &format!("-d{seconds}s"),
        "--timeout",
        "30s",
    ]);
    if !keep_alive {
        command.args(["-H", "Connection: close"]);
    }
    let output = command
        .arg(url)
        .stdin(Stdio::null())
        .output()
        .expect("wrk is missing: apt-get install -y --no-install-recommends wrk");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && !text.contains("Non-2xx"),
        "wrk failed: {text}"
    );
    let line = text
        .lines()
        .find(|line| line.contains(" requests in "))
        .unwrap();
    let requests = line.split_whitespace().next().unwrap().parse().unwrap();
    Cost {
        requests,
        cpu_ns: children_cpu_ns() - before_ns,
    }
}
