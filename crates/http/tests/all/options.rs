//! Targets that cannot be used, or differ from their options, and the messages about them.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use crate::common::{Nginx, Way, person, play};
use headcount_http::options::Certificates;
use headcount_http::{Http, HttpOptions};
use headcount_load::FaultKind;
use serde_json::json;

#[test]
fn certificates_are_verified_unless_disabled() {
    let nginx = Nginx::start();
    for way in [Way::Tls, Way::Http2Tls] {
        let get = json!({"op": "get", "path": "/text-0001.html"});
        let with = |verify_certificates| HttpOptions {
            verify_certificates,
            ..nginx.options(way)
        };
        play(async {
            let mut careless = person(with(Certificates::System(false))).await;
            assert_eq!(careless.read(get.clone()).await, 1024);
            let mut strict = person(with(Certificates::System(true))).await;
            let fault = strict.play(get.clone()).await.unwrap_err();
            assert_eq!((fault.kind, fault.ends_session), (FaultKind::Connect, true));
            assert!(
                fault.message.contains("certificate is not trusted"),
                "{fault}"
            );
            assert!(fault.message.contains("verify_certificates"), "{fault}");
            // The right authority, but a name that is not in the certificate.
            let named = HttpOptions {
                url: format!("https://localhost:{}", nginx.port(way)),
                ..nginx.options(way)
            };
            let fault = person(named).await.play(get.clone()).await.unwrap_err();
            assert!(
                fault.message.contains("certificate is not trusted"),
                "{fault}"
            );
        });
        let wrong = Http::new(with(Certificates::File(nginx.path("users")))).unwrap_err();
        assert!(
            wrong.to_string().contains("holds no certificates (PEM)"),
            "{wrong}"
        );
    }
}

#[test]
fn a_server_without_http2_or_without_tls_is_recognised() {
    let nginx = Nginx::start();
    let get = json!({"op": "get", "path": "/text-0001.html"});
    let options = |scheme: &str, way, http2| HttpOptions {
        url: format!("{scheme}://127.0.0.1:{}", nginx.port(way)),
        http2,
        ..nginx.options(way)
    };
    for (options, part) in [
        (options("https", Way::Tls, true), "does not offer HTTP/2"),
        (options("http", Way::Plain, true), "HTTP/2 is broken"),
        (options("https", Way::Plain, false), "no TLS handshake"),
        (options("http", Way::Http2, false), "not HTTP/1.1"),
        (options("http", Way::Tls, false), "status 400"),
    ] {
        let fault = play(async { person(options).await.play(get.clone()).await.unwrap_err() });
        assert!(fault.message.contains(part), "{part}: {fault}");
    }
}

#[test]
fn invalid_options_are_refused_with_a_reason() {
    let read = |text: serde_json::Value| -> String {
        match serde_json::from_value::<HttpOptions>(text) {
            Ok(options) => Http::new(options).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    };
    for (options, part) in [
        (json!({"url": "ftp://127.0.0.1"}), "write it like"),
        (json!({}), "url"),
        (json!({"url": "http://127.0.0.1", "speed": 1}), "speed"),
        (
            json!({"url": "http://127.0.0.1", "http2": true, "keep_alive": false}),
            "HTTP/2 keeps",
        ),
        (
            json!({"url": "http://127.0.0.1", "verify": 1.5}),
            "verify must be",
        ),
        (
            json!({"url": "http://127.0.0.1", "receive_buffer": 65_537}),
            "receive_buffer must be",
        ),
        (
            json!({"url": "http://127.0.0.1", "user": "u"}),
            "given together",
        ),
        (
            json!({"url": "http://127.0.0.1", "user": "a:b", "password": "p"}),
            "a colon",
        ),
        (
            json!({"url": "http://127.0.0.1", "user": "{x}", "password": "p"}),
            "not a pattern",
        ),
        (
            json!({"url": "http://127.0.0.1", "headers": {"A b": "c"}}),
            "not the name of a header",
        ),
        (
            json!({"url": "https://127.0.0.1", "verify_certificates": "/none.pem"}),
            "/none.pem",
        ),
        (
            json!({"url": "http://no.such.host.invalid"}),
            "cannot be resolved",
        ),
    ] {
        let sentence = read(options);
        assert!(sentence.contains(part), "{sentence}");
    }
    let fine = json!({"url": "https://127.0.0.1", "verify": false, "verify_certificates": false});
    assert!(Http::new(serde_json::from_value(fine).unwrap()).is_ok());
}
