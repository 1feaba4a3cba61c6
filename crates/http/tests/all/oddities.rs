//! What nginx never sends, from a peer that sends anything: the edges of the protocol.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::time::Duration;

use crate::common::{Person, http, pause, peer, person, play, read_request};
use headcount_http::HttpOptions;
use headcount_load::{Fault, FaultKind, Moved};
use headcount_script::Scope;
use serde_json::{Value, json};

/// The user's result for these pieces of an answer.
fn outcome(step: Value, pieces: &[&[u8]]) -> Result<Moved, Fault> {
    outcome_with(step, pieces, |_| {})
}

fn outcome_with(
    step: Value,
    pieces: &[&[u8]],
    change: impl FnOnce(&mut HttpOptions),
) -> Result<Moved, Fault> {
    let (mut options, thread) = peer(pieces.iter().map(|piece| piece.to_vec()).collect());
    change(&mut options);
    let played = play(async { person(options).await.play(step).await });
    thread.join().unwrap();
    played
}

fn get() -> Value {
    json!({"op": "get", "path": "/x"})
}

#[test]
fn answers_of_every_form_are_read() {
    read_in_every_form(0, 300_000);
    // A byte at a time takes a system call for each byte.
    for receive_buffer in [1, 100] {
        read_in_every_form(receive_buffer, 20_000);
    }
}

fn read_in_every_form(receive_buffer: u32, length: u32) {
    let long = vec![b'x'; length as usize];
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let (first, second) = long.split_at(long.len() / 3);
    let forms: [(&[&[u8]], u64); 8] = [
        (&[b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"], 5),
        (&[b"HTTP/1.1 200 OK\r\nConte", b"nt-Length: 5\r\n\r", b"\nhel", b"lo"], 5),
        (&[b"HTTP/1.0 200 OK\r\n\r\nuntil ", b"the end"], 13),
        (&[b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx"], 1),
        (&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n"], 3),
        (&[b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok"], 2),
        (&[head.as_bytes(), first, second], length.into()),
        (&[b"HTTP/1.1 200 OK\r\n\r\n", &long], length.into()),
    ];
    for (pieces, bytes) in forms {
        for keep_alive in [true, false] {
            let moved = outcome_with(get(), pieces, |options| {
                options.receive_buffer = receive_buffer;
                options.keep_alive = keep_alive;
            });
            let read = moved.unwrap_or_else(|fault| panic!("{fault}")).read_bytes;
            assert_eq!(read, bytes, "{}", pieces[0].escape_ascii());
        }
    }
}

#[test]
fn invalid_answers_end_the_session_with_a_reason() {
    let endless = [&b"HTTP/1.1 200 OK\r\nA: "[..], &vec![b'x'; 100_000]].concat();
    let faults: [(&[&[u8]], FaultKind, &str); 12] = [
        (
            &[b""],
            FaultKind::Disconnected,
            "closed the connection instead of answering",
        ),
        (
            &[b"HTTP/1.1 200"],
            FaultKind::Disconnected,
            "in the head of its answer",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"],
            FaultKind::Disconnected,
            "after 3 of 10 bytes",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"],
            FaultKind::Disconnected,
            "after 2 bytes of a body in chunks",
        ),
        (
            &[b"220 mail.example.org ESMTP\r\n"],
            FaultKind::Malformed,
            "begins with \"220 mail",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"],
            FaultKind::Malformed,
            "not a length",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n"],
            FaultKind::Malformed,
            "a chunk of the body has \"z\"",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc"],
            FaultKind::Malformed,
            "more than its answer",
        ),
        (
            &[b"HTTP/1.1 101 Switching Protocols\r\n\r\n"],
            FaultKind::Malformed,
            "status 101",
        ),
        (
            &[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"],
            FaultKind::Malformed,
            "not asked for",
        ),
        (&[&endless], FaultKind::Malformed, "exceeds 65536 bytes"),
        (
            &[b"\x15\x03\x03\x00\x02\x02\x46"],
            FaultKind::Malformed,
            "not HTTP/1.1",
        ),
    ];
    for (pieces, kind, part) in faults {
        let fault = outcome(get(), pieces).unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (kind, true),
            "{part}: {fault}"
        );
        assert!(fault.message.contains(part), "{part}: {fault}");
        assert!(fault.message.starts_with("GET /x: "), "{fault}");
    }
}

#[test]
fn an_answer_to_head_has_no_body() {
    let head = json!({"op": "head", "path": "/text-0001.html"});
    let moved = outcome(
        head.clone(),
        &[b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n"],
    );
    assert_eq!(moved.unwrap().read_bytes, 0);
    let fault = outcome(
        head.clone(),
        &[b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"],
    );
    assert_eq!(fault.unwrap_err().kind, FaultKind::WrongData);
    let moved = outcome(
        head,
        &[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
    );
    assert_eq!(moved.unwrap().read_bytes, 0);
}

#[test]
fn a_damaged_gzip_is_wrong_data() {
    let get = json!({"op": "get", "path": "/text-0001.html"});
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n";
    for body in [
        &b"\x1f\x8b\x08\0\0\0\0\0\0\x03abcdefghij"[..],
        b"no gzip at all......",
    ] {
        let fault = outcome(get.clone(), &[head, body]).unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::WrongData, false)
        );
        assert!(fault.message.contains("not valid gzip"), "{fault}");
    }
}

#[test]
fn requests_are_written_as_expected() {
    let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec();
    let sent = |step: Value, change: &dyn Fn(&mut HttpOptions)| {
        let (mut options, thread) = peer(vec![ok.clone()]);
        let host = options.url.trim_start_matches("http://").to_owned();
        change(&mut options);
        play(async { person(options).await.play(step).await.unwrap() });
        let request = String::from_utf8(thread.join().unwrap()).unwrap();
        request
            .replace(&host, "HOST")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION")
    };
    assert_eq!(
        sent(get(), &|_| {}),
        "GET /x HTTP/1.1\r\nHost: HOST\r\nUser-Agent: headcount/VERSION\r\nAccept: */*\r\n\r\n"
    );
    let post = json!({"op": "post", "path": "/{n:03}?a=b", "body": "hello",
                      "headers": {"accept": "text/html"}});
    let changed = sent(post, &|options| {
        options.url.push_str("/below/");
        options.keep_alive = false;
        options.accept_gzip = true;
        options.first_user = 41;
        options.user = Some("Aladdin".into());
        options.password = Some(headcount_http::Password::new("open sesame"));
        options.headers = [("user-agent".to_owned(), "x".to_owned())].into();
    });
    // The credentials are those of RFC 7617, 2.
    assert_eq!(
        changed,
        "POST /below/041?a=b HTTP/1.1\r\nHost: HOST\r\nAccept-Encoding: gzip\r\nuser-agent: x\r\n\
         accept: text/html\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\
         Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\nContent-Length: 5\r\n\r\n"
    );
    let known = sent(get(), &|options| {
        options.user = Some("Aladdin".into());
        options.password = Some(headcount_http::Password::new("open sesame"));
        options.headers = [("Authorization".to_owned(), "Token x".to_owned())].into();
    });
    assert_eq!(known.matches("Authorization: ").count(), 1, "{known}");
    assert!(known.contains("Authorization: Basic "), "{known}");
    let put = sent(json!({"op": "put", "path": "/x"}), &|_| {});
    assert!(put.ends_with("Content-Length: 0\r\n\r\n"), "{put}");
}

/// A server that closes connections may keep a worker for each until the client has closed its
/// side.
#[test]
fn a_connection_that_the_server_ends_is_closed_before_the_next_request() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"[..],
        b"HTTP/1.0 200 OK\r\n\r\nok",
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let options = HttpOptions::new(&format!("http://{}", listener.local_addr().unwrap()));
        let (closed, is_closed) = tokio::sync::oneshot::channel();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&mut stream);
            stream.write_all(answer).unwrap();
            pause(Duration::from_millis(20));
            stream.shutdown(Shutdown::Write).unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).unwrap();
            closed.send(rest).unwrap();
        });
        play(async {
            let mut person = Person::arrive(&http(options), 0).await;
            person.play(get()).await.unwrap();
            let rest = tokio::time::timeout(Duration::from_secs(20), is_closed).await;
            assert_eq!(rest.expect("it stays open"), Ok(Vec::new()));
        });
        server.join().unwrap();
    }
}

/// A server that answers, and then sends something on the idle connection.
#[test]
fn an_idle_connection_may_only_be_closed() {
    for (bytes, part) in [
        (
            &b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"[..],
            None,
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            Some("sent data without a request"),
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let options = HttpOptions::new(&format!("http://{}", listener.local_addr().unwrap()));
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        let server = std::thread::spawn(move || {
            let (mut first, _) = listener.accept().unwrap();
            read_request(&mut first);
            first.write_all(answer).unwrap();
            first.write_all(bytes).unwrap();
            if part.is_none() {
                drop(first);
                let (mut second, _) = listener.accept().unwrap();
                read_request(&mut second);
                second.write_all(answer).unwrap();
            }
        });
        play(async {
            let mut person = Person::arrive(&http(options), 0).await;
            let first = person.play(get()).await;
            if first.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            match (first.and(person.play(get()).await), part) {
                (Ok(_), None) => assert_eq!(person.sent("CONNECT"), 2),
                (Err(fault), Some(_)) => assert_eq!(fault.kind, FaultKind::Malformed, "{fault}"),
                // The answer and the farewell arrived together.
                (Err(fault), None) => {
                    assert!(fault.message.contains("more than its answer"), "{fault}");
                    let _ = person.play(get()).await;
                }
                (Ok(_), Some(_)) => panic!("what was not asked for was accepted"),
            }
        });
        server.join().unwrap();
    }
}

#[test]
fn an_answer_before_the_end_of_the_request_is_accepted() {
    let post = json!({"op": "post", "path": "/x", "body_bytes": 100_000_000});
    let fault = outcome(
        post,
        &[b"HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 2\r\n\r\nno"],
    );
    let fault = fault.unwrap_err();
    // A peer that closes with bytes unread resets the connection, which may overtake its answer.
    let is_named = fault
        .message
        .contains("status 507 Insufficient Storage instead of 200");
    let lost = fault.kind == FaultKind::Disconnected;
    assert!(is_named || lost, "{fault}");
}

/// A server that accepts only its second token.
#[test]
fn an_event_stream_is_opened_with_a_new_token_after_a_401() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = HttpOptions::new(&format!("http://{}", listener.local_addr().unwrap()));
    let server = std::thread::spawn(move || {
        let (mut tokens, _) = listener.accept().unwrap();
        for (token, answer) in [
            ("one", "401 Unauthorized\r\nContent-Length: 0\r\n\r\n"),
            (
                "two",
                "200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: hello\n\n",
            ),
        ] {
            read_request(&mut tokens);
            let body = format!("{{\"access_token\": \"{token}\"}}");
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            tokens.write_all((head + &body).as_bytes()).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            let request = String::from_utf8(read_request(&mut stream)).unwrap();
            let line = format!("Authorization: Bearer {token}\r\n");
            assert!(request.contains(&line), "{request}");
            let answer = format!("HTTP/1.1 {answer}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    play(async {
        let mut person = person(options).await;
        *person.user.scope() = Scope::outside(2, 0);
        let token = json!({"op": "oauth2-token", "path": "/token", "grant": "client-credentials"});
        person.read(token).await;
        person
            .read(json!({"op": "sse-connect", "path": "/news"}))
            .await;
        assert_eq!(person.read(json!({"op": "sse-receive"})).await, 5);
    });
    server.join().unwrap();
}
