//! Kept connections that the server closes while a request is on its way.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use headcount_http::HttpOptions;
use headcount_load::FaultKind;
use serde_json::json;

use crate::common::{person, play, read_request};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// A server that reads this many requests on each of its connections, and answers all of them but
/// the last: then it closes the connection.
fn server(requests: &'static [u32]) -> (HttpOptions, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = HttpOptions::new(&format!("http://{}", listener.local_addr().unwrap()));
    let serve = |mut stream: TcpStream, requests: u32| {
        for _ in 1..requests {
            read_request(&mut stream);
            stream.write_all(ANSWER).unwrap();
        }
        read_request(&mut stream);
    };
    let thread = std::thread::spawn(move || {
        for &requests in requests {
            serve(listener.accept().unwrap().0, requests);
        }
    });
    (options, thread)
}

#[test]
fn a_safe_request_is_sent_again_as_by_browsers() {
    for method in ["get", "head", "options"] {
        let (options, thread) = server(&[2, 3, 1]);
        play(async {
            let mut person = person(options).await;
            let step = json!({"op": method, "path": "/x"});
            for (connections, resent) in [(1, 0), (2, 1), (2, 1)] {
                person.play(step.clone()).await.unwrap();
                assert_eq!(person.sent("CONNECT"), connections, "{method}");
                assert_eq!(person.sent("RESENT"), resent, "{method}");
            }
            // The next one is let go on the second connection, and gets no answer on the third.
            let fault = person.play(step).await.unwrap_err();
            assert_eq!(fault.kind, FaultKind::Disconnected);
            assert_eq!(person.sent("CONNECT"), 3);
            assert_eq!(person.sent("RESENT"), 2);
        });
        thread.join().unwrap();
    }
}

#[test]
fn a_request_that_changes_something_is_not() {
    for method in ["post", "put", "delete", "patch"] {
        let (options, thread) = server(&[2]);
        play(async {
            let mut person = person(options).await;
            let get = json!({"op": "get", "path": "/x"});
            person.play(get).await.unwrap();
            let step = json!({"op": method, "path": "/x"});
            let fault = person.play(step).await.unwrap_err();
            let part = "the server closed the connection instead of answering";
            assert!(fault.message.contains(part), "{method}: {fault}");
            assert_eq!(person.sent("CONNECT"), 1);
        });
        thread.join().unwrap();
    }
}
