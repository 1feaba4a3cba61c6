//! The same loop played by Samba's own load tool.

use std::process::{Command, Stdio};
use std::rc::Rc;

use headcount_smb::wire::negotiate::Dialect;
use headcount_smb::{SigningPolicy, SmbOptions};
use serde_json::{Value, json};

use crate::common::{PASSWORD, Samba, smb, step};
use crate::cost::{Loop, cost};
use crate::machine::children_ns;

/// Opens and closes the share's folder on each connection, one request at a time, over dialect
/// 3.1.1 without signatures.
const TEST: &str = "smb2.bench.path-contention-shared";
const CONNECTIONS: u32 = 4;
/// A second run of this length is subtracted from the first, so that the start-up does not count.
const SHORT_S: u64 = 1;

/// The CPU time of an operation in each client, and the ratio.
pub fn peer(samba: &Samba, seconds: u64) -> Value {
    let options = SmbOptions {
        dialects: vec![Dialect::Smb311],
        signing: SigningPolicy::Off,
        folder: String::new(), // the share's own folder
        ..samba.options()
    };
    let steps = [
        json!({"op": "open", "path": {"file": "home"}, "access": "attributes"}),
        json!({"op": "close"}),
    ];
    let steps: Rc<[_]> = steps.iter().map(step).collect();
    let played = Loop {
        steps,
        operations: 2,
    };
    let address = options.address.clone();
    let protocol = smb(options);
    let (short_operations, short_ns) = torture(&address, SHORT_S);
    // Before and after, so that other load on the machine affects both.
    let before = cost(&protocol, &played, CONNECTIONS, seconds.div_ceil(2));
    let (long_operations, long_ns) = torture(&address, SHORT_S + seconds);
    let after = cost(&protocol, &played, CONNECTIONS, seconds.div_ceil(2));
    let operations = before.operations + after.operations;
    let ours_us = (before.cpu_us * before.operations as f64
        + after.cpu_us * after.operations as f64)
        / operations as f64;
    let peer_operations = long_operations - short_operations;
    let peer_us = (long_ns - short_ns) as f64 / 1000.0 / peer_operations;
    json!({
        "peer": format!("smbtorture {TEST}"), "connections": CONNECTIONS, "seconds": seconds,
        "ours_us": ours_us, "ours_operations": operations,
        "peer_us": peer_us, "peer_operations": peer_operations,
        "ratio": ours_us / peer_us,
    })
}

/// Operations and CPU time in ns of one run of smbtorture.
fn torture(address: &str, seconds: u64) -> (f64, u64) {
    let port = address.rsplit_once(':').unwrap().1;
    let before_ns = children_ns();
    let output = Command::new("smbtorture")
        .args(["//127.0.0.1/data", TEST, "-p", port, "-U"])
        .arg(format!("user00000%{PASSWORD}"))
        .arg(format!("--option=torture:timelimit={seconds}"))
        .arg(format!("--option=torture:nprocs={CONNECTIONS}"))
        .arg("--option=torture:qdepth=1")
        .stdin(Stdio::null())
        .output()
        .expect("smbtorture is missing: apt-get install -y samba-testsuite");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "smbtorture failed: {text}");
    // The last line of figures is for the whole run: "... open[num/s=1,...] close[num/s=1,...]"
    let rate = |kind: &str| -> f64 {
        let (_, rest) = text.rsplit_once(&format!("{kind}[num/s=")).unwrap();
        rest.split(',').next().unwrap().parse().unwrap()
    };
    let operations = (rate("open") + rate("close")) * seconds as f64;
    (operations, children_ns() - before_ns)
}
