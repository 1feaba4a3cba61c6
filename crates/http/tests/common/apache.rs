//! A private Apache whose users authenticate by Digest.

use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use headcount_http::HttpOptions;
use headcount_http::options::Auth;
use headcount_load::Password;
use headcount_load::clock::Origin;
use md5::{Digest, Md5};

use super::{PASSWORD, PATIENCE, pause};

const PROGRAM: &str = "/usr/sbin/apache2";
const MODULES: &str = "/usr/lib/apache2/modules";
/// With a comma, which does not end the value.
const REALM: &str = "the lab, area=1";

/// Apache with three areas, which differ in how long they accept a nonce. Dropping this ends it.
pub struct Apache {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Apache {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        // Its workers run as another user if root starts it.
        fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
        for area in ["long", "short", "once"] {
            fs::create_dir(base.join(area)).unwrap();
            fs::write(base.join(area).join("page"), "welcome").unwrap();
        }
        fs::write(base.join("users"), users()).unwrap();
        let port = free_port();
        fs::write(base.join("apache.conf"), configuration(base, port)).unwrap();
        let child = Command::new(PROGRAM)
            .args(["-X", "-f"])
            .arg(base.join("apache.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(base.join("out")).unwrap())
            .spawn()
            .expect("Apache is missing: apt-get install -y --no-install-recommends apache2");
        let mut apache = Self {
            child,
            port,
            folder,
        };
        let origin = Origin::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let late = origin.elapsed_ns() > PATIENCE.as_nanos() as u64;
            if late || apache.child.try_wait().unwrap().is_some() {
                let words = ["out", "errors"].map(|name| fs::read_to_string(apache.path(name)));
                panic!("Apache does not listen: {words:?}");
            }
            pause(Duration::from_millis(10));
        }
        apache
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Options for users with the right password.
    pub fn options(&self) -> HttpOptions {
        HttpOptions {
            auth: Auth::Digest,
            user: Some("user{n:05}".into()),
            password: Some(Password::new(PASSWORD)),
            ..HttpOptions::new(&format!("http://127.0.0.1:{}", self.port))
        }
    }

    /// The lines of its log, `method path status user version`, once there are this many.
    pub fn log_of(&self, lines: usize) -> Vec<String> {
        let origin = Origin::now();
        loop {
            let text = fs::read_to_string(self.path("requests")).unwrap_or_default();
            let log: Vec<_> = text.lines().map(str::to_owned).collect();
            if log.len() >= lines || origin.elapsed_ns() > PATIENCE.as_nanos() as u64 {
                return log;
            }
            pause(Duration::from_millis(5));
        }
    }
}

impl Drop for Apache {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may be gone already
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// As htdigest writes them.
fn users() -> String {
    let mut text = String::new();
    for number in 0..3 {
        let line = format!("user{number:05}:{REALM}");
        let hash = Md5::digest(format!("{line}:{PASSWORD}"));
        write!(text, "{line}:").unwrap();
        for byte in hash {
            write!(text, "{byte:02x}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn configuration(base: &Path, port: u16) -> String {
    let base = base.display();
    let mut text = String::new();
    for module in [
        "mpm_event",
        "authn_core",
        "authn_file",
        "authz_core",
        "authz_user",
        "auth_digest",
        "http2",
    ] {
        writeln!(text, "LoadModule {module}_module {MODULES}/mod_{module}.so").unwrap();
    }
    if rustix::process::getuid().is_root() {
        text += "User www-data\nGroup www-data\n";
    }
    write!(
        text,
        "ServerRoot {base}\nServerName localhost\nListen 127.0.0.1:{port}\nPidFile {base}/pid\n\
         DefaultRuntimeDir {base}\nDocumentRoot {base}\nErrorLog {base}/errors\n\
         LogFormat \"%m %U %>s %u %H\" seen\nCustomLog {base}/requests seen\n\
         Protocols h2c http/1.1\nH2Direct on\n\
         <Directory {base}>\nRequire all granted\n</Directory>\n"
    )
    .unwrap();
    for (area, seconds) in [("long", 300), ("short", 1), ("once", 0)] {
        write!(
            text,
            "<Location /{area}>\nAuthType Digest\nAuthName \"{REALM}\"\n\
             AuthUserFile {base}/users\nAuthDigestNonceLifetime {seconds}\nRequire valid-user\n\
             </Location>\n"
        )
        .unwrap();
    }
    text
}
