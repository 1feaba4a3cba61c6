//! Whom the client trusts, and what it shows of itself, with a real nginx.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use crate::common::{Nginx, Way, person, play, small_set};
use headcount_http::HttpOptions;
use headcount_http::options::Certificates;
use headcount_load::Fault;
use serde_json::json;

/// nginx that shows a certificate that nobody but itself has signed.
fn self_signed(name: &str) -> Nginx {
    let own = format!("ssl_certificate {name}.pem; ssl_certificate_key {name}.key;");
    Nginx::with(small_set(), &own)
}

fn got(options: HttpOptions) -> Result<u64, Fault> {
    let get = json!({"op": "get", "path": "/text-0001.html"});
    let moved = play(async { person(options).await.play(get).await });
    moved.map(|moved| moved.read_bytes)
}

#[test]
fn a_certificate_of_the_file_is_trusted_without_an_authority() {
    for name in ["own-authority", "own-leaf"] {
        let nginx = self_signed(name);
        let trusting = |file: &str| HttpOptions {
            verify_certificates: Certificates::File(nginx.path(file)),
            ..nginx.options(Way::Tls)
        };
        assert_eq!(got(trusting(&format!("{name}.pem"))), Ok(1024), "{name}");
        // Another with the same subject, or somebody else's authority.
        for other in ["own-other.pem", "authority.pem"] {
            let fault = got(trusting(other)).unwrap_err();
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
        let fault = got(elsewhere.clone()).unwrap_err();
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
        assert_eq!(got(nameless), Ok(1024), "{name}");
    }
}

#[test]
fn a_server_certificate_of_the_file_needs_not_its_authority() {
    let nginx = Nginx::start();
    let options = HttpOptions {
        verify_certificates: Certificates::File(nginx.path("server.pem")),
        ..nginx.options(Way::Http2Tls)
    };
    assert_eq!(got(options), Ok(1024));
}

#[test]
fn a_certificate_of_the_file_is_not_trusted_for_ever() {
    let nginx = self_signed("own-expired");
    for verify_name in [true, false] {
        let options = HttpOptions {
            verify_certificates: Certificates::File(nginx.path("own-expired.pem")),
            verify_name,
            ..nginx.options(Way::Tls)
        };
        let fault = got(options).unwrap_err();
        assert!(fault.message.contains("it has expired"), "{fault}");
    }
}
