//! Which certificates the client trusts, and which it presents, with a real nginx.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::{Nginx, Way, person, play, small_set};
use headcount_http::options::Certificates;
use headcount_http::{Http, HttpOptions};
use headcount_load::Fault;
use serde_json::json;

/// nginx with a self-signed certificate.
fn self_signed(name: &str) -> Nginx {
    let own = format!("ssl_certificate {name}.pem; ssl_certificate_key {name}.key;");
    Nginx::with(small_set(), &own)
}

fn get(options: HttpOptions) -> Result<u64, Fault> {
    let step = json!({"op": "get", "path": "/text-0001.html"});
    let moved = play(async { person(options).await.play(step).await });
    moved.map(|moved| moved.read_bytes)
}

#[test]
fn a_self_signed_certificate_in_the_file_is_trusted() {
    for name in ["own-authority", "own-leaf"] {
        let nginx = self_signed(name);
        let trusting = |file: &str| HttpOptions {
            verify_certificates: Certificates::File(nginx.path(file)),
            ..nginx.options(Way::Tls)
        };
        assert_eq!(get(trusting(&format!("{name}.pem"))), Ok(1024), "{name}");
        // Another certificate with the same subject, and a foreign authority.
        for other in ["own-other.pem", "authority.pem"] {
            let fault = get(trusting(other)).unwrap_err();
            assert!(
                fault.message.contains("certificate is not trusted"),
                "{name}, {other}: {fault}"
            );
        }
        // Trust in a certificate is not trust in its use for another name.
        let elsewhere = HttpOptions {
            url: format!("https://localhost:{}", nginx.port(Way::Tls)),
            ..trusting(&format!("{name}.pem"))
        };
        let fault = get(elsewhere.clone()).unwrap_err();
        assert!(
            fault.message.contains("not valid for name \"localhost\""),
            "{fault}"
        );
        assert!(
            fault.message.contains("--client verify_name=off"),
            "{fault}"
        );
        let nameless = HttpOptions {
            verify_name: false,
            ..elsewhere
        };
        assert_eq!(get(nameless), Ok(1024), "{name}");
    }
}

#[test]
fn a_server_certificate_in_the_file_needs_no_authority() {
    let nginx = Nginx::start();
    let options = HttpOptions {
        verify_certificates: Certificates::File(nginx.path("server.pem")),
        ..nginx.options(Way::Http2Tls)
    };
    assert_eq!(get(options), Ok(1024));
}

#[test]
fn an_expired_certificate_in_the_file_is_not_trusted() {
    let nginx = self_signed("own-expired");
    for verify_name in [true, false] {
        let options = HttpOptions {
            verify_certificates: Certificates::File(nginx.path("own-expired.pem")),
            verify_name,
            ..nginx.options(Way::Tls)
        };
        let fault = get(options).unwrap_err();
        assert!(fault.message.contains("it has expired"), "{fault}");
    }
}

#[test]
fn the_address_is_independent_of_the_server_name() {
    let seen = "location /seen { return 200 \"$ssl_server_name $http_host\"; }";
    let nginx = Nginx::with(small_set(), seen);
    for way in [Way::Tls, Way::Http2Tls] {
        let named = |server_name: Option<&str>| HttpOptions {
            url: "https://shop.invalid:8443".into(), // nobody can resolve it
            at: vec![([127, 0, 0, 1], nginx.port(way)).into()],
            server_name: server_name.map(Into::into),
            ..nginx.options(way)
        };
        let fault = get(named(None)).unwrap_err();
        assert!(
            fault
                .message
                .contains("not valid for name \"shop.invalid\""),
            "{way:?}: {fault}"
        );
        let text = |options: HttpOptions, words: &str| {
            let step = json!({"op": "get", "path": "/seen", "check": [{"equals": words}]});
            play(async { person(options).await.play(step).await }).unwrap();
        };
        let unnamed = HttpOptions {
            verify_name: false,
            ..named(None)
        };
        text(unnamed.clone(), "shop.invalid shop.invalid:8443");
        let inner = HttpOptions {
            server_name: Some("inner.invalid".into()),
            ..unnamed
        };
        text(inner, "inner.invalid shop.invalid:8443");
        // A certificate can be for an address, but TLS never sends one as the name (SNI).
        text(named(Some("127.0.0.1")), " shop.invalid:8443");
    }
}

/// nginx that accepts only users with a certificate of its authority.
fn demanding() -> Nginx {
    let own = "ssl_client_certificate authority.pem; ssl_verify_client on;";
    Nginx::with(small_set(), own)
}

#[test]
fn users_present_a_certificate_when_the_server_asks() {
    let nginx = demanding();
    for way in [Way::Tls, Way::Http2Tls] {
        let showing = |certificate: Option<&str>, key: Option<&str>| HttpOptions {
            certificate: certificate.map(|name| nginx.path(name)),
            key: key.map(|name| nginx.path(name)),
            ..nginx.options(way)
        };
        let options = showing(Some("server.pem"), Some("server.key"));
        assert_eq!(get(options.clone()), Ok(1024), "{way:?}");
        assert_eq!(get(showing(Some("both.pem"), None)), Ok(1024), "{way:?}");
        let resuming = HttpOptions {
            resume_tls: true,
            ..options
        };
        assert_eq!(get(resuming), Ok(1024), "{way:?}");
        let fault = get(showing(None, None)).unwrap_err();
        assert!(
            fault
                .message
                .contains("No required SSL certificate was sent"),
            "{fault}"
        );
        let fault = get(showing(Some("own-leaf.pem"), Some("own-leaf.key"))).unwrap_err();
        assert!(
            fault.message.contains("The SSL certificate error"),
            "{fault}"
        );
    }
}

#[test]
fn an_unusable_client_certificate_is_refused_with_a_reason() {
    let nginx = Nginx::start();
    for (certificate, key, part) in [
        ("server.pem", None, "holds no private key; name the file"),
        (
            "server.pem",
            Some("own-leaf.key"),
            "is not the key of the certificate",
        ),
        (
            "server.pem",
            Some("encrypted.key"),
            "is encrypted; write a copy",
        ),
        (
            "server.pem",
            Some("server.pem"),
            "holds no private key (PEM)",
        ),
        ("server.pem", Some("none.key"), "cannot be read"),
        ("server.key", Some("server.key"), "holds no certificate"),
        ("", Some("server.key"), "--client certificate=FILE"),
    ] {
        let options = HttpOptions {
            certificate: Some(certificate)
                .filter(|name| !name.is_empty())
                .map(|name| nginx.path(name)),
            key: key.map(|name| nginx.path(name)),
            ..nginx.options(Way::Tls)
        };
        let sentence = Http::new(options).unwrap_err().to_string();
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn a_missing_or_refused_client_certificate_is_reported() {
    let nginx = Nginx::start();
    let path = |name: &str| nginx.path(name).display().to_string();
    for version in ["-tls1_3", "-tls1_2"] {
        let mut server = Demanding::start(
            &path("server.pem"),
            &path("server.key"),
            &path("authority.pem"),
            version,
        );
        let options = |certificate: Option<&str>| HttpOptions {
            url: format!("https://127.0.0.1:{}", server.port),
            certificate: certificate.map(|name| nginx.path(&format!("{name}.pem"))),
            key: certificate.map(|name| nginx.path(&format!("{name}.key"))),
            ..nginx.options(Way::Tls)
        };
        let fault = get(options(None)).unwrap_err();
        if version == "-tls1_3" {
            assert!(fault.message.contains("they have none"), "{fault}");
        } else {
            assert!(
                fault.message.contains("may ask users for a certificate"),
                "{fault}"
            );
        }
        let fault = get(options(Some("own-leaf"))).unwrap_err();
        assert!(
            fault
                .message
                .contains("does not accept the certificate of the users"),
            "{version}: {fault}"
        );
        server.end();
    }
}

/// An OpenSSL server that closes connections of users without a certificate.
struct Demanding {
    child: Child,
    port: u16,
}

impl Demanding {
    fn start(certificate: &str, key: &str, authority: &str, version: &str) -> Self {
        let mut child = Command::new("openssl")
            .args(["s_server", "-accept", "127.0.0.1:0", "-www", "-Verify", "1"])
            .args(["-verify_return_error", version])
            .args(["-cert", certificate, "-key", key, "-CAfile", authority])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        // It says "ACCEPT 127.0.0.1:PORT" once it listens.
        let mut lines = out.lines().map(Result::unwrap);
        let line = lines.find(|line| line.starts_with("ACCEPT")).unwrap();
        let port = line.rsplit(':').next().unwrap().parse().unwrap();
        // Reads what it prints later, so that the pipe never fills up.
        std::thread::spawn(move || lines.count());
        Self { child, port }
    }

    fn end(&mut self) {
        let _ = self.child.kill(); // it may be gone already
        let _ = self.child.wait();
    }
}

impl Drop for Demanding {
    fn drop(&mut self) {
        self.end();
    }
}
