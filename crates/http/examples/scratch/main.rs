#![allow(warnings)]
#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../get_cost/machine.rs"]
mod machine;
#[path = "../get_cost/ours.rs"]
mod ours;
use headcount_http::HttpOptions;
use serde_json::json;
fn main() {
    let url = std::env::args().nth(1).unwrap();
    let class = std::env::args().nth(2).unwrap();
    let secs: u64 = std::env::args().nth(3).unwrap().parse().unwrap();
    let side = std::env::args().nth(4).unwrap();
    let keep = std::env::args().nth(5).is_none();
    machine::stay_on(1);
    let set: headcount_http::pages::PageSet = serde_json::from_value(json!({
        "directories": [""],
        "classes": [
            {"name": "k1", "percent": 1, "sizes": [1024]},
            {"name": "k16", "percent": 1, "sizes": [16384]},
            {"name": "k128", "percent": 1, "sizes": [131_072]},
        ],
    }))
    .unwrap();
    if url == "serve" {
        machine::stay_on(0);
        let n = common::Nginx::with(set, std::env::var("NGX").unwrap_or_default().as_str());
        println!("http://127.0.0.1:{}", n.port(common::Way::Plain));
        common::pause(std::time::Duration::from_secs(secs));
        return;
    }
    let opts = HttpOptions {
        verify: if side == "checked" { 1.0 } else { 0.0 },
        keep_alive: keep,
        data_set: set,
        ..HttpOptions::new(&url)
    };
    let get = json!({"op": "get", "page": [class]});
    let c = if side == "engine" || side == "checked" {
        ours::engine(&opts, &get, 64, secs)
    } else {
        ours::alone(&opts, &get, 64, secs)
    };
    for l in std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .filter(|l| l.contains("ctxt"))
    {
        println!("{l}");
    }
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<u64> = s
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|w| w.parse().unwrap())
        .collect();
    println!(
        "{class} {side}: {:.2} us, user share {:.2} us, {} requests",
        c.us(),
        c.us() * f[0] as f64 / (f[0] + f[1]) as f64,
        c.requests
    );
}
