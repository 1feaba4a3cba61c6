//! Bad clients, and peers that are not clients: they get an error and a closed connection, and
//! others go on.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::io::Write;
use std::time::Duration;

use crate::common;
use crate::common::{app, folder, frame, greeted, play, raw, receive, start, target, user};
use headcount_app::control::{self, ControlError, Target};
use headcount_app::frame::{Header, Kind, MAX_BODY_BYTES, append};
use headcount_app::reply::{Code, Reply};
use headcount_app::request::Request;
use headcount_app::server::{Handle, ServeError, Settings, serve};
use headcount_load::{FaultKind, Protocol};

/// The server's error for these bytes; it must close afterwards.
fn verdict(server: &Handle, is_greeted: bool, bytes: &[u8]) -> (Code, String) {
    let mut stream = if is_greeted {
        greeted(server.address())
    } else {
        raw(server.address())
    };
    stream.write_all(bytes).unwrap();
    let (kind, body) = receive(&mut stream).expect("an error before the end");
    let Some(Reply::Error { code, message }) = Reply::parse(kind, &body) else {
        panic!("{kind:?}");
    };
    assert!(
        receive(&mut stream).is_none(),
        "the connection is closed after {message}"
    );
    (code, message.to_owned())
}

#[test]
fn malformed_messages_get_an_error_and_are_cut_off() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let read = Request::Read {
        file: 0,
        offset: 0,
        bytes: 4096,
    };
    let mut too_long = Header {
        kind: Kind::Write,
        is_reply: false,
        body_bytes: 0,
    }
    .encode();
    too_long[8..].copy_from_slice(&(MAX_BODY_BYTES + 1).to_le_bytes());
    let mut unknown = frame(&read);
    unknown[4] = 77;
    let mut as_reply = frame(&read);
    as_reply[5] = 1;
    let mut short = Vec::new();
    append(&mut short, Kind::Read, false, |body| body.push(1));
    let misaligned = frame(&Request::Read {
        file: 0,
        offset: 100,
        bytes: 4096,
    });
    let endless = frame(&Request::Processor {
        seed: 0,
        rounds: u32::MAX,
    });
    let twice = [frame(&read), frame(&read)].concat();
    for (is_greeted, bytes, part) in [
        (false, b"GET / HTTP/1.1\r\n\r\n".to_vec(), "GET / HTTP/1.1"),
        (false, frame(&read), "first message must be hello"),
        (true, b"junk".to_vec(), "junk"),
        (true, too_long.to_vec(), "limit of"),
        (true, unknown, "kind 77"),
        (true, as_reply, "is not a request"),
        (true, short, "request is malformed"),
        (true, misaligned, "multiples of 4096"),
        (true, endless, "exceed the limit"),
        (true, twice, "before the previous one was answered"),
    ] {
        let (code, message) = verdict(&server, is_greeted, &bytes);
        assert_eq!(code, Code::Malformed, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn slow_messages_are_cut_off_but_idling_between_messages_is_allowed() {
    let home = folder();
    let server = start(home.path(), |settings| {
        settings.limits.message = Duration::from_millis(150);
    });
    let mut idle = greeted(server.address());
    let request = frame(&Request::ServerClient { seed: 1, bytes: 5 });
    for (is_greeted, bytes) in [
        (false, &[][..]),
        (false, &request[..3]),
        (true, &request[..20]),
    ] {
        let (code, message) = verdict(&server, is_greeted, bytes);
        assert_eq!(code, Code::Slow, "{message}");
    }
    // By now the idle client has been silent for longer than the limit.
    idle.write_all(&request).unwrap();
    assert_eq!(receive(&mut idle).unwrap().0, Kind::ServerClient);
}

#[test]
fn a_message_may_come_in_pieces() {
    let home = folder();
    let server = start(home.path(), |_| {});
    let mut stream = greeted(server.address());
    for byte in frame(&Request::Processor { seed: 1, rounds: 1 }) {
        stream.set_nodelay(true).unwrap();
        stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(receive(&mut stream).unwrap().0, Kind::Processor);
}

#[test]
fn connections_over_the_limit_are_refused_with_the_reason() {
    let home = folder();
    let server = start(home.path(), |settings| settings.limits.connections = 2);
    let guests = [greeted(server.address()), greeted(server.address())];
    let fault = play(app(server.address()).open(&mut user(0)))
        .map(drop)
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::Refused);
    assert!(fault.message.contains("already has 2"), "{fault}");
    assert_eq!(server.statistics().connections.refused, 1);
    drop(guests);
    common::eventually("the guests have left", || {
        server.statistics().connections.now == 0
    });
    assert!(play(app(server.address()).open(&mut user(0))).is_ok());
}

#[test]
fn data_damaged_in_transit_is_refused() {
    let home = folder();
    let server = start(home.path(), |_| {});
    common::prepare(&server, 0);
    let mut stream = greeted(server.address());
    for request in [
        Request::ClientServer {
            checksum: 1,
            payload: b"hello",
        },
        Request::Write {
            file: 0,
            offset: 0,
            block: &[1; 4096],
        },
    ] {
        stream.write_all(&frame(&request)).unwrap();
        let (kind, body) = receive(&mut stream).unwrap();
        let reply = Reply::parse(kind, &body);
        assert!(
            matches!(
                reply,
                Some(Reply::Error {
                    code: Code::Damaged,
                    ..
                })
            ),
            "{reply:?}"
        );
    }
    stream
        .write_all(&frame(&Request::ClientServer {
            checksum: crc32fast::hash(b"x"),
            payload: b"x",
        }))
        .unwrap();
    assert_eq!(
        receive(&mut stream).unwrap().0,
        Kind::ClientServer,
        "the session goes on"
    );
}

#[test]
fn wrong_tokens_are_refused_and_open_addresses_require_one() {
    let home = folder();
    let mut settings = Settings::new(home.path().join("data"));
    settings.listen = ([0, 0, 0, 0], 0).into();
    let error = serve(settings.clone()).unwrap_err();
    assert!(matches!(error, ServeError::TokenRequired(_)), "{error}");
    settings.listen = ([127, 0, 0, 1], 0).into();
    settings.token = Some("open sesame".into());
    let server = serve(settings).unwrap();
    for token in [None, Some("open sesam"), Some("open sesamf")] {
        let token = token.map(str::to_owned);
        let error = control::hello(&Target {
            token,
            ..target(&server)
        })
        .unwrap_err();
        assert!(matches!(error, ControlError::Token { .. }), "{error}");
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    let token = Some("open sesame".to_owned());
    assert!(
        control::hello(&Target {
            token,
            ..target(&server)
        })
        .is_ok()
    );
    let fault = play(app(server.address()).open(&mut user(0)))
        .map(drop)
        .unwrap_err();
    assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, true));
}
