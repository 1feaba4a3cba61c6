//! The same load from other tools.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::CONNECTIONS;
use crate::machine::{children_cpu_ns, resident_kib};
use crate::ours::Cost;

/// Connections of the smaller of the two runs whose memory is compared.
const FEW_USERS: u32 = 10;

/// How long a tool runs while its memory is measured.
const MEMORY_SECONDS: u64 = 3;

/// A tool that loads web servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Wrk,
    H2load,
    Oha,
    K6,
}

impl Peer {
    pub const ALL: [Self; 4] = [Self::Wrk, Self::H2load, Self::Oha, Self::K6];

    /// Its name, which is also that of its program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::H2load => "h2load",
            Self::Oha => "oha",
            Self::K6 => "k6",
        }
    }

    /// Whether it is on the PATH.
    pub fn is_here(self) -> bool {
        let flag = if self == Self::K6 {
            "version"
        } else {
            "--version"
        };
        Command::new(self.name())
            .arg(flag)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok()
    }

    /// Whether it can open one connection for each request.
    pub const fn can_close(self) -> bool {
        !matches!(self, Self::H2load)
    }

    /// The cost of a request: one thread, bodies not kept.
    pub fn cost(self, url: &str, keep_alive: bool, seconds: u64) -> Cost {
        let before_ns = children_cpu_ns();
        let mut command = self.command(url, keep_alive, CONNECTIONS, seconds);
        let output = command.output().unwrap();
        let cpu_ns = children_cpu_ns() - before_ns;
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{} failed: {text}", self.name());
        Cost {
            requests: self.requests(&text),
            cpu_ns,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "there is no runtime here to block"
    )]
    /// The resident memory of each further connection, once all have been used.
    pub fn connection_kib(self, url: &str, users: u32) -> f64 {
        let most_kib = |users| {
            let mut command = self.command(url, true, users, MEMORY_SECONDS);
            let mut tool = command.stdout(Stdio::null()).spawn().unwrap();
            let mut most_kib = 0;
            while tool.try_wait().unwrap().is_none() {
                most_kib = most_kib.max(resident_kib(&tool.id().to_string()).unwrap_or(0));
                std::thread::sleep(Duration::from_millis(20));
            }
            most_kib
        };
        let few_kib = most_kib(FEW_USERS);
        most_kib(users).saturating_sub(few_kib) as f64 / f64::from(users - FEW_USERS)
    }

    /// The command for a run of this many seconds. Every tool stays on one processor, as this
    /// program does.
    fn command(self, url: &str, keep_alive: bool, users: u32, seconds: u64) -> Command {
        let (users, length) = (users.to_string(), format!("{seconds}s"));
        let mut command = Command::new(self.name());
        command.stdin(Stdio::null()).stderr(Stdio::null());
        match self {
            Self::Wrk => {
                command.args(["-t1", "--timeout", "30s", "-c", &users, "-d", &length]);
                if !keep_alive {
                    command.args(["-H", "Connection: close"]);
                }
                command.arg(url);
            }
            Self::H2load => {
                command.args(["--h1", "-t1", "-c", &users, "-D", &length, url]);
            }
            Self::Oha => {
                command.args(["--no-tui", "--output-format", "json", "-c", &users]);
                if !keep_alive {
                    command.arg("--disable-keepalive");
                }
                command.args(["-z", &length, url]);
            }
            Self::K6 => {
                let script = script(url);
                command.args([
                    "run",
                    "--quiet",
                    "--no-usage-report",
                    "--discard-response-bodies",
                ]);
                command.args(["--summary-export", "/dev/stdout", "--no-color"]);
                if !keep_alive {
                    command.arg("--no-connection-reuse");
                }
                command.args(["--vus", &users, "--duration", &length]);
                command.arg(script);
            }
        }
        command
    }

    /// Requests that got the right answer, from its output.
    fn requests(self, text: &str) -> u64 {
        let word_of = |line: Option<&str>, index: usize| {
            let word = line.and_then(|line| line.split_whitespace().nth(index));
            word.and_then(|word| word.parse().ok())
        };
        let found = match self {
            Self::Wrk if text.contains("Non-2xx") => None,
            Self::Wrk => word_of(text.lines().find(|line| line.contains(" requests in ")), 0),
            Self::H2load => word_of(
                text.lines().find(|line| line.starts_with("status codes:")),
                2,
            ),
            Self::Oha => json(text)["statusCodeDistribution"]["200"].as_u64(),
            Self::K6 => json(text)["metrics"]["http_reqs"]["count"].as_u64(),
        };
        found.unwrap_or_else(|| panic!("{} said: {text}", self.name()))
    }
}

/// The JSON in a tool's output, which may have other text before and after it.
fn json(text: &str) -> Value {
    let found = text.find("\n{").map_or(0, |at| at + 1);
    let mut values = serde_json::Deserializer::from_str(&text[found..]).into_iter();
    values.next().and_then(Result::ok).unwrap_or_default()
}

/// The path of a script for k6 that gets one page.
fn script(url: &str) -> String {
    let path = std::env::temp_dir().join(format!("get-cost-{}.js", std::process::id()));
    let text =
        format!("import http from 'k6/http';\nexport default () => {{ http.get('{url}'); }};\n");
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}
