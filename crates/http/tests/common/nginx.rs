//! A private nginx on a temporary folder.

use std::fmt::Write;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use headcount_http::HttpOptions;
use headcount_http::options::Certificates;
use headcount_http::pages::PageSet;
use headcount_http::pages::tree::{Kept, write_tree};
use headcount_load::clock::Origin;
use rustix::process::{Pid, Signal, kill_process_group};

use super::{PASSWORD, PATIENCE, pause, small_set};

/// The ways to reach nginx, each with a port of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Plain,
    Tls,
    Http2,
    Http2Tls,
}

impl Way {
    pub const ALL: [Self; 4] = [Self::Plain, Self::Tls, Self::Http2, Self::Http2Tls];

    pub const fn is_tls(self) -> bool {
        matches!(self, Self::Tls | Self::Http2Tls)
    }

    pub const fn is_http2(self) -> bool {
        matches!(self, Self::Http2 | Self::Http2Tls)
    }
}

/// nginx with the pages of a data set. Dropping this ends it.
pub struct Nginx {
    child: Child,
    group: Pid,
    ports: [u16; 4],
    folder: tempfile::TempDir,
    pub set: PageSet,
}

impl Nginx {
    /// Starts it with a small data set.
    pub fn start() -> Self {
        Self::with(small_set(), "")
    }

    /// Starts it with these pages, and these extra lines in each server block.
    pub fn with(set: PageSet, extra: &str) -> Self {
        let folder =
            tempfile::tempdir_in(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp")).unwrap();
        let base = folder.path();
        write_tree(&base.join("pages"), &set, Kept::Long, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        fs::create_dir_all(base.join("files/put")).unwrap();
        fs::create_dir_all(base.join("temporary")).unwrap();
        make_certificate(base);
        fs::write(base.join("users"), users()).unwrap();
        let ports = free_ports();
        fs::write(base.join("nginx.conf"), configuration(base, ports, extra)).unwrap();
        let program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"];
        let program = program.iter().find(|path| Path::new(path).exists());
        let program =
            program.expect("nginx is missing: apt-get install -y --no-install-recommends nginx");
        let log = fs::File::create(base.join("out")).unwrap();
        // In a session of its own, so that our signals reach all of its processes and nobody else.
        let child = Command::new("setsid")
            .arg(program)
            .arg("-c")
            .arg(base.join("nginx.conf"))
            .arg("-p")
            .arg(base)
            .arg("-e")
            .arg(base.join("errors"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut nginx = Self {
            group: Pid::from_child(&child),
            child,
            ports,
            folder,
            set,
        };
        nginx.wait_until_it_listens();
        nginx
    }

    fn wait_until_it_listens(&mut self) {
        let origin = Origin::now();
        // Not the port whose connections the tests count.
        while TcpStream::connect(("127.0.0.1", self.ports[2])).is_err() {
            let late = origin.elapsed_ns() > PATIENCE.as_nanos() as u64;
            if late || self.child.try_wait().unwrap().is_some() {
                let out = fs::read_to_string(self.folder.path().join("out")).unwrap();
                let errors = fs::read_to_string(self.folder.path().join("errors"));
                panic!("nginx does not listen: {out} {errors:?}");
            }
            pause(std::time::Duration::from_millis(10));
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn port(&self, way: Way) -> u16 {
        self.ports[way as usize]
    }

    /// Options to reach it.
    pub fn options(&self, way: Way) -> HttpOptions {
        let scheme = if way.is_tls() { "https" } else { "http" };
        let url = format!("{scheme}://127.0.0.1:{}", self.port(way));
        HttpOptions {
            http2: way.is_http2(),
            verify_certificates: Certificates::File(self.path("authority.pem")),
            data_set: self.set.clone(),
            ..HttpOptions::new(&url)
        }
    }

    /// The path of one of its files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A page's file behind the server's back.
    pub fn behind(&self, path: &str) -> PathBuf {
        self.path("pages").join(&path[1..])
    }

    /// The lines of its log so far: `method uri status protocol connection resumed "cookie" "user
    /// agent"`, where resumed is `r` for a TLS session that was.
    pub fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("requests")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the log has this many lines: nginx writes them after it has answered.
    pub fn log_of(&self, lines: usize) -> Vec<String> {
        let origin = Origin::now();
        loop {
            let log = self.log();
            if log.len() >= lines || origin.elapsed_ns() > PATIENCE.as_nanos() as u64 {
                assert_eq!(log.len(), lines, "{log:#?}");
                return log;
            }
            pause(std::time::Duration::from_millis(5));
        }
    }

    /// Sends a signal to all processes of the server.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(self.group, signal).unwrap();
    }

    /// Kills it and waits until its listener is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.child.wait().unwrap();
        let origin = Origin::now();
        while TcpStream::connect(("127.0.0.1", self.ports[0])).is_ok() {
            assert!(
                origin.elapsed_ns() < PATIENCE.as_nanos() as u64,
                "nginx survives SIGKILL"
            );
            pause(std::time::Duration::from_millis(5));
        }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = kill_process_group(self.group, Signal::KILL); // it may be gone already
        let _ = self.child.wait();
    }
}

fn free_ports() -> [u16; 4] {
    let listeners: Vec<_> = (0..4)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    std::array::from_fn(|index| listeners[index].local_addr().unwrap().port())
}

/// Users `user00000` to `user00009`, who all have the same password.
fn users() -> String {
    let mut text = String::new();
    for number in 0..10 {
        writeln!(text, "user{number:05}:{{PLAIN}}{PASSWORD}").unwrap();
    }
    text
}

/// An authority and a certificate for 127.0.0.1 that it signed, and self-signed certificates.
pub fn make_certificate(base: &Path) {
    let openssl = |arguments: &str| {
        let output = Command::new("openssl")
            .args(arguments.split(' '))
            .current_dir(base)
            .stdin(Stdio::null())
            .output()
            .expect("openssl is missing: apt-get install -y --no-install-recommends openssl");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments}: {errors}");
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30";
    openssl(&format!(
        "req -x509 {key} -keyout authority.key -out authority.pem -subj /CN=authority"
    ));
    openssl(&format!(
        "req {key} -keyout server.key -out server.csr -subj /CN=127.0.0.1"
    ));
    fs::write(base.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    openssl(
        "x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 \
         -extfile names -out server.pem",
    );
    openssl("pkey -in server.key -aes256 -passout pass:secret -out encrypted.key");
    let both = ["server.pem", "server.key"].map(|name| fs::read(base.join(name)).unwrap());
    fs::write(base.join("both.pem"), both.concat()).unwrap();
    for (name, constraint, days) in [
        ("own-authority", "TRUE", "30"), // as `openssl req -x509` makes them
        ("own-leaf", "FALSE", "30"),
        ("own-other", "TRUE", "30"),
        ("own-expired", "TRUE", "-1"),
    ] {
        let names =
            format!("subjectAltName=IP:127.0.0.1\nbasicConstraints=critical,CA:{constraint}\n");
        fs::write(base.join("own"), names).unwrap();
        openssl(&format!(
            "req {key} -keyout {name}.key -out own.csr -subj /CN=127.0.0.1"
        ));
        openssl(&format!(
            "x509 -req -in own.csr -signkey {name}.key -days {days} -extfile own -out {name}.pem"
        ));
    }
}

fn configuration(base: &Path, ports: [u16; 4], extra: &str) -> String {
    let user = if rustix::process::getuid().is_root() {
        "user root;\n"
    } else {
        ""
    };
    let base = base.display();
    let mut temporary = String::new();
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        writeln!(temporary, "{kind}_temp_path {base}/temporary/{kind};").unwrap();
    }
    let mut listen = String::new();
    for (port, how) in ports.into_iter().zip(["", " ssl", " http2", " ssl http2"]) {
        writeln!(listen, "listen 127.0.0.1:{port}{how};").unwrap();
    }
    let plain = ports[0];
    format!(
        "{user}daemon off;\nworker_processes 1;\npid {base}/pid;\nerror_log {base}/errors;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n{temporary}\
         default_type application/octet-stream;\n\
         types {{ text/html html; }}\n\
         log_format seen '$request_method $request_uri $status $server_protocol $connection \
         $ssl_session_reused \"$http_cookie\" \"$http_user_agent\"';\n\
         access_log {base}/requests seen;\nsendfile on;\nif_modified_since before;\nkeepalive_requests 1000000;\n\
         gzip on;\ngzip_types *;\ngzip_min_length 0;\n\
         ssl_protocols TLSv1.2 TLSv1.3;\nssl_certificate {base}/server.pem;\nssl_certificate_key {base}/server.key;\n\
         server {{\n{listen}root {base}/pages;\n{extra}\n\
         location /chunked/ {{ alias {base}/pages/; sub_filter never-there x; sub_filter_types *; }}\n\
         location /proxied/ {{ proxy_pass http://127.0.0.1:{plain}/; proxy_buffering off; }}\n\
         location /private/ {{ alias {base}/pages/; auth_basic x; auth_basic_user_file {base}/users; }}\n\
         location /forbidden {{ return 403; }}\n\
         location /moved {{ return 302 /text-0000.html; }}\n\
         location /nothing {{ return 204; }}\n\
         location /broken {{ return 500; }}\n\
         location /cookie {{ add_header Set-Cookie \"c=$arg_value; Path=/\"; return 200 ok; }}\n\
         location /put/ {{ root {base}/files; dav_methods PUT DELETE; client_max_body_size 100m; }}\n\
         location /post {{ client_max_body_size 100m; proxy_pass http://127.0.0.1:{plain}/taken; }}\n\
         location /taken {{ return 200 $content_length; }}\n\
         location /little {{ client_max_body_size 1k; proxy_pass http://127.0.0.1:{plain}/taken; }}\n\
         location /status {{ stub_status; access_log off; }}\n\
         }}\n}}\n"
    )
}
