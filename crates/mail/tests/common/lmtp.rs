//! A private Dovecot that delivers by LMTP, as `nobody` where the tests run as root.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{free_port, wait_for, wait_until_listening};

/// Dovecot on a temporary folder. It ends with this value.
pub struct Lmtp {
    folder: tempfile::TempDir,
    port: u16,
}

impl Lmtp {
    /// Starts it. Users are u1 to u9 of any domain.
    pub fn start() -> Self {
        // Not below the target folder: paths of its sockets may have 107 bytes at most.
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let port = free_port();
        let is_root = rustix::process::getuid().is_root();
        let (user, group) = if is_root {
            ("nobody".into(), "nogroup".into())
        } else {
            own_names()
        };
        for name in ["run", "state", "log", "spool"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        let user_line = |n| format!("u{n}:{{PLAIN}}test::::{}/spool/u{n}::\n", base.display());
        let users = (1..10).map(user_line).collect::<Vec<String>>().concat();
        fs::write(base.join("users"), users).unwrap();
        fs::write(
            base.join("dovecot.conf"),
            configuration(base, port, &user, &group),
        )
        .unwrap();
        let mut command = Command::new("/usr/sbin/dovecot");
        if is_root {
            fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
            let owned = Command::new("chown")
                .arg("-R")
                .arg("nobody:nogroup")
                .arg(base)
                .status();
            assert!(owned.unwrap().success());
            command = Command::new("setpriv");
            command.args([
                "--reuid=nobody",
                "--regid=nogroup",
                "--clear-groups",
                "/usr/sbin/dovecot",
            ]);
        }
        // Into a file: the server would keep a pipe open for as long as it runs.
        let said = base.join("log/said");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(fs::File::create(&said).unwrap());
        let started = command
            .arg("-c")
            .arg(base.join("dovecot.conf"))
            .current_dir("/")
            .status();
        let started = started
            .expect("dovecot is missing: apt-get install -y --no-install-recommends dovecot-lmtpd");
        assert!(started.success(), "{}", fs::read_to_string(said).unwrap());
        let lmtp = Self { folder, port };
        wait_until_listening(port);
        lmtp
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The messages of a user's inbox, once there are so many.
    pub fn inbox(&self, user: &str, messages: usize) -> Vec<Vec<u8>> {
        let new = self
            .folder
            .path()
            .join("spool")
            .join(user)
            .join("Maildir/new");
        let mut paths = wait_for("mail", || {
            let paths: Vec<PathBuf> = fs::read_dir(&new)
                .ok()?
                .map(|e| e.unwrap().path())
                .collect();
            assert!(paths.len() <= messages, "more mail than was sent");
            (paths.len() == messages).then_some(paths)
        });
        paths.sort();
        paths
            .iter()
            .map(|path| with_crlf(&fs::read(path).unwrap()))
            .collect()
    }
}

/// As IMAP would give it: Dovecot stores lines with a line feed alone.
fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.replace("\r\n", "\n")
        .replace('\n', "\r\n")
        .into_bytes()
}

impl Drop for Lmtp {
    fn drop(&mut self) {
        let pid = fs::read_to_string(self.folder.path().join("run/master.pid")).unwrap_or_default();
        let Some(pid) = pid
            .trim()
            .parse()
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        else {
            return;
        };
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        wait_for("the end of dovecot", || {
            rustix::process::test_kill_process(pid).err()
        });
    }
}

/// The names of who runs the tests.
fn own_names() -> (String, String) {
    let name = |what| {
        let output = Command::new("id").arg(what).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    (name("-un"), name("-gn"))
}

fn configuration(base: &Path, port: u16, user: &str, group: &str) -> String {
    let base = base.display();
    format!(
        "base_dir = {base}/run\nstate_dir = {base}/state\nprotocols = lmtp\nlisten = 127.0.0.1\n\
         instance_name = smtp-tests-{port}\nlog_path = {base}/log/dovecot.log\n\
         default_internal_user = {user}\ndefault_internal_group = {group}\n\
         default_login_user = {user}\nfirst_valid_uid = 1\nfirst_valid_gid = 1\nlast_valid_uid = 0\n\
         ssl = no\nauth_username_format = %Ln\nmail_fsync = never\nmail_location = maildir:~/Maildir\n\
         userdb {{\n driver = passwd-file\n args = {base}/users\n\
         override_fields = uid={user} gid={group}\n}}\n\
         passdb {{\n driver = passwd-file\n args = {base}/users\n}}\n\
         service anvil {{\n chroot =\n}}\nservice stats {{\n chroot =\n}}\n\
         service lmtp {{\n inet_listener lmtp {{\n address = 127.0.0.1\n port = {port}\n }}\n}}\n\
         protocol lmtp {{\n postmaster_address = postmaster@test.invalid\n}}\n"
    )
}
