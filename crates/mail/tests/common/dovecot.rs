//! A private Dovecot on a temporary folder, without root's rights.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use headcount_load::clock::Origin;
use headcount_mail::endpoint::{Endpoint, EndpointOptions, Security};
use headcount_net::Certificates;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::configuration::configuration;
use super::{PATIENCE, pause, wait_for};

/// The password of every user.
pub const PASSWORD: &str = "Passw0rd";

/// How to connect to its IMAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Plain,
    Starttls,
    Tls,
}

/// Dovecot with IMAP and LMTP for users of any name, or for a few, all with the same password.
/// Dropping it stops Dovecot.
pub struct Dovecot {
    child: Child,
    group: Pid,
    ports: [u16; 3],
    folder: tempfile::TempDir,
}

impl Dovecot {
    /// Starts it with the default configuration.
    pub fn start() -> Self {
        Self::with("")
    }

    /// Starts it with these lines at the end of its configuration.
    pub fn with(extra: &str) -> Self {
        Self::prepared(extra, 0)
    }

    /// Starts it with only the users u1 to `users`.
    pub fn of(users: u32) -> Self {
        Self::prepared("", users)
    }

    fn prepared(extra: &str, users: u32) -> Self {
        // Under /tmp: the unprivileged account must be able to access it.
        let folder = tempfile::Builder::new()
            .prefix("headcount-mail-")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempdir_in("/tmp")
            .unwrap();
        let base = folder.path();
        for name in ["run", "state", "log", "spool"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        make_certificate(base);
        let ports = free_ports();
        let account = Account::find();
        fs::write(
            base.join("dovecot.conf"),
            configuration(base, ports, &account, users > 0, extra),
        )
        .unwrap();
        let home = base.join("spool");
        let line = |n| format!("u{n}:{{PLAIN}}{PASSWORD}::::{}/u{n}::\n", home.display());
        let lines: String = (1..=users).map(line).collect();
        fs::write(base.join("users"), lines).unwrap();
        if account.is_borrowed {
            run("chown", &["-R", &account.owner(), &base.to_string_lossy()]);
        }
        let (child, group) = launch(base, &account);
        let mut dovecot = Self {
            child,
            group,
            ports,
            folder,
        };
        dovecot.wait_until_it_listens();
        dovecot
    }

    fn wait_until_it_listens(&mut self) {
        let origin = Origin::now();
        while !greets(self.ports[0]) || !greets(self.ports[2]) {
            let late = origin.elapsed_ns() > PATIENCE.as_nanos() as u64;
            let is_gone = late || self.child.try_wait().unwrap().is_some();
            assert!(!is_gone, "dovecot does not listen: {}", self.log());
            pause(std::time::Duration::from_millis(10));
        }
    }

    /// The contents of its log.
    pub fn log(&self) -> String {
        let read = |name| fs::read_to_string(self.path(name)).unwrap_or_default();
        read("log/out") + &read("log/dovecot.log")
    }

    /// The endpoint of its IMAP.
    pub fn imap(&self, way: Way) -> Endpoint {
        let (port, security) = match way {
            Way::Plain => (self.ports[0], Security::None),
            Way::Starttls => (self.ports[0], Security::Starttls),
            Way::Tls => (self.ports[1], Security::Implicit),
        };
        self.endpoint(port, security)
    }

    /// The endpoint of its LMTP.
    pub fn lmtp(&self) -> Endpoint {
        self.endpoint(self.ports[2], Security::None)
    }

    /// The address of its LMTP.
    pub fn lmtp_address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[2]).into()
    }

    fn endpoint(&self, port: u16, security: Security) -> Endpoint {
        Endpoint::new(&EndpointOptions {
            address: format!("127.0.0.1:{port}"),
            at: Vec::new(),
            security,
            verify_certificates: Certificates::File(self.path("authority.pem")),
            verify_name: true,
            certificate: None,
            key: None,
        })
        .unwrap()
    }

    /// The port of IMAP without TLS.
    pub fn port(&self) -> u16 {
        self.ports[0]
    }

    /// The path of a file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The Maildir of a user's folder on disk: its inbox without a name.
    pub fn maildir(&self, user: &str, folder: &str) -> PathBuf {
        let inbox = self.path(&format!("spool/{user}/Maildir"));
        if folder.is_empty() {
            inbox
        } else {
            inbox.join(format!(".{}", folder.replace('/', ".")))
        }
    }

    /// The messages of a folder on disk: their contents and the flags in their names (Maildir's
    /// letters, in the order of the alphabet), oldest first.
    pub fn messages(&self, user: &str, folder: &str) -> Vec<(Vec<u8>, String)> {
        let maildir = self.maildir(user, folder);
        let mut found = Vec::new();
        for part in ["cur", "new"] {
            for entry in fs::read_dir(maildir.join(part)).unwrap() {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let flags = name.rsplit_once(":2,").map_or("", |(_, flags)| flags);
                // Names begin with the second and the microsecond of delivery.
                let order = name.split('.').take(2).map(str::to_owned);
                let order: Vec<String> = order.collect();
                found.push((order, fs::read(entry.path()).unwrap(), flags.to_owned()));
            }
        }
        found.sort_by_key(|(order, ..)| (order[0].clone(), order[1].len(), order[1].clone()));
        found
            .into_iter()
            .map(|(_, contents, flags)| (contents, flags))
            .collect()
    }

    /// The messages that were delivered to a user's inbox; waits until there are this many.
    pub fn inbox(&self, user: &str, messages: usize) -> Vec<Vec<u8>> {
        let new = self.maildir(user, "").join("new");
        wait_for("mail", || {
            let count = fs::read_dir(&new).map_or(0, Iterator::count);
            assert!(count <= messages, "more mail than was sent");
            (count == messages).then_some(())
        });
        let found = self.messages(user, "");
        found.into_iter().map(|(contents, _)| contents).collect()
    }

    /// The id of its main process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Stops it as an administrator does, and waits until it has ended.
    pub fn stop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        // It may have ended already. Its helpers are in its group, or end when it does.
        let _ = kill_process_group(self.group, Signal::TERM);
        let origin = Origin::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if origin.elapsed_ns() > 3_000_000_000 {
                break;
            }
            pause(std::time::Duration::from_millis(5));
        }
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }
}

/// The account that it runs as.
pub struct Account {
    pub user: String,
    pub group: String,
    /// Whether the tests run as root and switch to this account.
    is_borrowed: bool,
}

impl Account {
    fn find() -> Self {
        if rustix::process::getuid().is_root() {
            return Self {
                user: "nobody".into(),
                group: "nogroup".into(),
                is_borrowed: true,
            };
        }
        Self {
            user: run("id", &["-un"]),
            group: run("id", &["-gn"]),
            is_borrowed: false,
        }
    }

    fn owner(&self) -> String {
        format!("{}:{}", self.user, self.group)
    }
}

/// Starts it in the foreground, in a session of its own, so that its signals reach only itself, and
/// ours all its processes.
fn launch(base: &Path, account: &Account) -> (Child, Pid) {
    let program = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"];
    let program = program.iter().find(|path| Path::new(path).exists());
    let program = program.expect(
        "dovecot is missing: apt-get install -y --no-install-recommends dovecot-imapd \
         dovecot-lmtpd",
    );
    let log = fs::File::create(base.join("log/out")).unwrap();
    let mut command = Command::new("setsid");
    if account.is_borrowed {
        let (user, group) = (&account.user, &account.group);
        command.args([
            "setpriv",
            &format!("--reuid={user}"),
            &format!("--regid={group}"),
        ]);
        command.arg("--clear-groups");
    }
    let child = command
        .arg(program)
        .arg("-F")
        .arg("-c")
        .arg(base.join("dovecot.conf"))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let group = Pid::from_child(&child);
    (child, group)
}

/// Whether a server that greets listens on the port.
fn greets(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return false;
    };
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let greeted = stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0);
    let _ = stream.write_all(b"QUIT\r\n");
    greeted
}

fn free_ports() -> [u16; 3] {
    let listeners: Vec<_> = (0..3)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    std::array::from_fn(|index| listeners[index].local_addr().unwrap().port())
}

/// Runs a program that must succeed. Returns its output.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Creates a certificate authority, and a certificate for 127.0.0.1 signed by it.
fn make_certificate(base: &Path) {
    let at = |name: &str| base.join(name).to_string_lossy().into_owned();
    let openssl = |arguments: &str, files: &[&str]| {
        let mut words: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        for pair in files.chunks(2) {
            words.extend([pair[0].to_owned(), at(pair[1])]);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run("openssl", &words);
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    let authority = ["-keyout", "authority.key", "-out", "authority.pem"];
    openssl(
        &format!("req -x509 {key} -days 30 -subj /CN=authority"),
        &authority,
    );
    let server = ["-keyout", "server.key", "-out", "server.csr"];
    openssl(&format!("req {key} -subj /CN=127.0.0.1"), &server);
    fs::write(base.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    let signed = [
        ["-in", "server.csr"],
        ["-CA", "authority.pem"],
        ["-CAkey", "authority.key"],
        ["-extfile", "names"],
        ["-out", "server.pem"],
    ];
    openssl("x509 -req -CAcreateserial -days 30", &signed.concat());
}
