//! A private Postfix with its own queue, which delivers everything over LMTP. It needs root.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{free_port, wait_until_listening};

/// Postfix on a temporary folder. Dropping it stops Postfix.
pub struct Postfix {
    folder: tempfile::TempDir,
    port: u16,
}

impl Postfix {
    /// Starts it in front of an LMTP server; `None` if the tests do not run as root, which Postfix
    /// needs.
    pub fn start(lmtp: SocketAddr, extra: &str) -> Option<Self> {
        if !rustix::process::getuid().is_root() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let port = free_port();
        for name in ["etc", "queue", "data"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        fs::set_permissions(base, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let owned = Command::new("chown")
            .arg("postfix")
            .arg(base.join("data"))
            .status()
            .unwrap();
        assert!(owned.success());
        fs::write(base.join("etc/main.cf"), main(base, lmtp, extra)).unwrap();
        fs::write(base.join("etc/master.cf"), master(port)).unwrap();
        make_certificate(base);
        let postfix = Self { folder, port };
        let started = postfix.command("start");
        assert!(started.0, "{}", started.1);
        wait_until_listening(port);
        Some(postfix)
    }

    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The authority of its certificate, which is self-signed.
    pub fn authority(&self) -> String {
        self.folder
            .path()
            .join("certificate.pem")
            .display()
            .to_string()
    }

    fn command(&self, what: &str) -> (bool, String) {
        // Into a file: the server would keep a pipe open as long as it runs.
        let output = self.folder.path().join("said");
        let status = Command::new("/usr/sbin/postfix")
            .arg("-c")
            .arg(self.folder.path().join("etc"))
            .arg(what)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&output).unwrap())
            .status()
            .expect("postfix is missing: apt-get install -y --no-install-recommends postfix");
        (status.success(), fs::read_to_string(output).unwrap())
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        let _ = self.command("stop"); // it waits until the processes are gone
    }
}

fn make_certificate(base: &Path) {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
        ])
        .args(["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"])
        .args([
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=CA:FALSE",
        ])
        .arg("-keyout")
        .arg(base.join("key.pem"))
        .arg("-out")
        .arg(base.join("certificate.pem"))
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
}

fn main(base: &Path, lmtp: SocketAddr, extra: &str) -> String {
    let (base, lmtp_port) = (base.display(), lmtp.port());
    format!(
        "compatibility_level = 3.6\nqueue_directory = {base}/queue\ndata_directory = {base}/data\n\
         command_directory = /usr/sbin\ndaemon_directory = /usr/lib/postfix/sbin\n\
         mail_owner = postfix\nsetgid_group = postdrop\nmulti_instance_enable = no\n\
         maillog_file = {base}/log\nmaillog_file_prefixes = {base}\n\
         myhostname = mailtest.invalid\nmydomain = test.invalid\n\
         inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 127.0.0.0/8\n\
         mydestination =\nvirtual_mailbox_domains = test.invalid\n\
         virtual_transport = lmtp:inet:[127.0.0.1]:{lmtp_port}\n\
         default_transport = error:no outside delivery\nrelay_transport = error:no outside delivery\n\
         smtpd_recipient_restrictions = permit_mynetworks, reject_unauth_destination\n\
         smtpd_relay_restrictions = reject_unauth_destination\n\
         disable_dns_lookups = yes\nsmtpd_peername_lookup = no\nalias_maps =\nalias_database =\n\
         local_recipient_maps =\nvirtual_mailbox_maps =\nsmtpd_error_sleep_time = 0\n\
         in_flow_delay = 0\nsmtpd_client_connection_count_limit = 0\n\
         smtpd_client_connection_rate_limit = 0\nlmtp_tls_security_level = none\n\
         smtpd_tls_security_level = may\nsmtpd_tls_cert_file = {base}/certificate.pem\n\
         smtpd_tls_key_file = {base}/key.pem\n{extra}\n"
    )
}

fn master(port: u16) -> String {
    format!(
        "127.0.0.1:{port} inet n - n - 200 smtpd\npickup unix n - n 60 1 pickup\n\
         cleanup unix n - n - 0 cleanup\nqmgr unix n - n 300 1 qmgr\ntlsmgr unix - - n 1000? 1 tlsmgr\n\
         rewrite unix - - n - - trivial-rewrite\nbounce unix - - n - 0 bounce\n\
         defer unix - - n - 0 bounce\ntrace unix - - n - 0 bounce\nverify unix - - n - 1 verify\n\
         flush unix n - n 1000? 0 flush\nproxymap unix - - n - - proxymap\n\
         proxywrite unix - - n - 1 proxymap\nlmtp unix - - n - 40 lmtp\nerror unix - - n - - error\n\
         retry unix - - n - - error\ndiscard unix - - n - - discard\nanvil unix - - n - 1 anvil\n\
         scache unix - - n - 1 scache\npostlog unix-dgram n - n - 1 postlogd\n\
         showq unix n - n - - showq\n"
    )
}
