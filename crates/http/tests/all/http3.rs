//! What servers of HTTP/3 rarely send, from one in the test.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h3_quinn::quinn::crypto::rustls::QuicServerConfig;
use h3_quinn::quinn::{Endpoint, ServerConfig};
use http::Response;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::common::nginx::make_certificate;
use crate::common::{Person, http, person, play};
use headcount_http::HttpOptions;
use headcount_http::options::Certificates;
use headcount_load::FaultKind;
use serde_json::json;

/// A connection of the server.
type Accepted = h3::server::Connection<h3_quinn::Connection, Bytes>;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp")).unwrap()
}

/// A server whose certificate is made in `folder`, and the options of its users.
fn server(folder: &Path) -> (Endpoint, HttpOptions) {
    make_certificate(folder);
    let chain = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap();
    let chain: Vec<_> = chain.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider);
    let tls = tls.with_safe_default_protocol_versions().unwrap();
    let tls = tls.with_no_client_auth().with_single_cert(chain, key);
    let mut tls = tls.unwrap();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let crypto = QuicServerConfig::try_from(tls).unwrap();
    let config = ServerConfig::with_crypto(Arc::new(crypto));
    let endpoint = Endpoint::server(config, ([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("https://{}", endpoint.local_addr().unwrap());
    let options = HttpOptions {
        http3: true,
        verify_certificates: Certificates::File(folder.join("authority.pem")),
        ..HttpOptions::new(&url)
    };
    (endpoint, options)
}

async fn accept(endpoint: &Endpoint) -> Accepted {
    let quic = endpoint.accept().await.unwrap().await.unwrap();
    let quic = h3_quinn::Connection::new(quic);
    Accepted::new(quic).await.unwrap()
}

/// Answers the next request: a head for each of these statuses, and "hello", whose length it says
/// is `length`.
async fn answer(connection: &mut Accepted, statuses: &[u16], length: u64) {
    let resolver = connection.accept().await.unwrap().unwrap();
    let (_, mut stream) = resolver.resolve_request().await.unwrap();
    for status in statuses {
        let head = Response::builder().status(*status);
        let mut head = head.header("link", status.to_string());
        if *status >= 200 {
            head = head.header("content-length", length);
        }
        let head = head.body(()).unwrap();
        stream.send_response(head).await.unwrap();
    }
    let sent = stream.send_data(Bytes::from_static(b"hello")).await;
    sent.unwrap();
    stream.finish().await.unwrap();
}

#[test]
fn interim_answers_are_skipped() {
    let folder = folder();
    play(async {
        let (endpoint, options) = server(folder.path());
        let serving = tokio::spawn(async move {
            let mut connection = accept(&endpoint).await;
            answer(&mut connection, &[103, 200], 5).await;
            (endpoint, connection)
        });
        let get = json!({"op": "get", "path": "/", "check": [{"header": "link", "equals": "200"}]});
        assert_eq!(person(options).await.read(get).await, 5);
        serving.await.unwrap();
    });
}

#[test]
fn a_body_of_another_length_is_malformed() {
    let folder = folder();
    play(async {
        let (endpoint, options) = server(folder.path());
        let serving = tokio::spawn(async move {
            let mut kept = Vec::new();
            for length in [4, 6] {
                let mut connection = accept(&endpoint).await;
                answer(&mut connection, &[200], length).await;
                kept.push(connection);
            }
            (endpoint, kept)
        });
        let http = http(options);
        for length in [4, 6] {
            let mut person = Person::arrive(&http, 0).await;
            let get = json!({"op": "get", "path": "/"});
            let fault = person.play(get).await.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Malformed, "{fault}");
            let part = format!("after 5 of {length} bytes");
            assert!(fault.message.contains(&part), "{fault}");
        }
        serving.await.unwrap();
    });
}

#[test]
fn a_connection_on_which_the_server_takes_no_more_requests_is_replaced() {
    let folder = folder();
    play(async {
        let (endpoint, options) = server(folder.path());
        let serving = tokio::spawn(async move {
            let mut first = accept(&endpoint).await;
            answer(&mut first, &[200], 5).await;
            first.shutdown(0).await.unwrap();
            let mut second = accept(&endpoint).await;
            answer(&mut second, &[200], 5).await;
            (endpoint, first, second)
        });
        let mut person = person(options).await;
        let get = json!({"op": "get", "path": "/"});
        person.read(get.clone()).await;
        tokio::time::sleep(Duration::from_millis(100)).await; // until its GOAWAY has come
        assert_eq!(person.read(get).await, 5);
        assert_eq!(person.sent("CONNECT"), 2);
        serving.await.unwrap();
    });
}
