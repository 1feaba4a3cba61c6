//! Targets that are not an application server, or not one of this version.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::ops::ControlFlow;
use std::time::Duration;

use crate::common::{app, play, user};
use headcount_app::control::{self, ControlError, Target};
use headcount_app::frame::{Kind, append};
use headcount_app::message::{Order, PROTOCOL, Progress, Shape};
use headcount_load::Protocol;
use serde_json::json;

/// Something that is not an application server: sends `answer` to each client, and closes.
fn impostor(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 100]);
            let _ = stream.write_all(answer);
            // Unread bytes would make the kernel reset the connection, and drop what was answered.
            let _ = stream.shutdown(Shutdown::Write);
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    address
}

#[test]
fn targets_that_are_not_application_servers_are_recognised() {
    let newer = {
        let hello = json!({
            "protocol": PROTOCOL + 1, "version": "9", "processors": 1, "threads": 1, "pid": 1,
            "write_mode": "buffered", "session": 1, "data_set": null, "something_new": [1],
        });
        let mut frame = Vec::new();
        append(&mut frame, Kind::Hello, true, |body| {
            body.extend(hello.to_string().bytes());
        });
        &*frame.leak()
    };
    for (answer, part) in [
        (
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            "HTTP/1.1 400 Bad Request",
        ),
        (b"220 mail.example ESMTP\r\n", "220 mail.example"),
        (b"", "closed the connection"),
        (newer, "protocol version 2"),
    ] {
        let address = impostor(answer);
        let error = control::hello(&Target::new(&*address)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains(&address), "{error}");
        let fault = play(app(&address).open(&mut user(0)))
            .map(drop)
            .unwrap_err();
        assert!(fault.ends_session);
        assert!(
            fault.message.contains(part) && fault.message.contains(&address),
            "{fault}"
        );
    }
    let address = impostor(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let error = control::hello(&Target::new(&*address)).unwrap_err();
    assert!(
        matches!(error, ControlError::NotAppServer { .. }),
        "{error}"
    );
}

#[test]
fn a_long_greeting_is_quoted_in_part() {
    let mut answer = Vec::new();
    append(&mut answer, Kind::Hello, true, |body| {
        let hello = json!({"protocol": "x".repeat(9000)});
        body.extend(hello.to_string().bytes());
    });
    let address = impostor(answer.leak());
    let error = control::hello(&Target::new(&*address)).unwrap_err();
    let fault = play(app(&address).open(&mut user(0)))
        .map(drop)
        .unwrap_err();
    for message in [error.to_string(), fault.message.to_string()] {
        assert!(message.contains("string \"xxx"), "{message}");
        assert!(message.len() < 500, "{message}");
    }
}

#[test]
fn silent_unreachable_and_invalid_targets_are_distinguished() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let timeout = Duration::from_millis(100);
    let error = control::hello(&Target {
        timeout,
        ..Target::new(&*address)
    })
    .unwrap_err();
    assert!(matches!(error, ControlError::Silent { .. }), "{error}");
    drop(silent);
    let error = control::hello(&Target::new(&*address)).unwrap_err();
    assert!(matches!(error, ControlError::Unreachable { .. }), "{error}");
    for nonsense in ["localhost", "", "127.0.0.1:99999", "no such host:1"] {
        let error = control::hello(&Target::new(nonsense)).unwrap_err();
        assert!(matches!(error, ControlError::Address { .. }), "{error}");
    }
}

#[test]
fn a_stuck_preparation_ends() {
    let mut answer = Vec::new();
    append(&mut answer, Kind::Hello, true, |body| {
        let hello = json!({
            "protocol": PROTOCOL, "version": "1", "processors": 1, "threads": 1, "pid": 1,
            "write_mode": "buffered", "session": 1, "data_set": null,
        });
        body.extend(hello.to_string().bytes());
    });
    let progress = |answer: &mut Vec<u8>, done: u32| {
        append(answer, Kind::Progress, true, |body| {
            let text = json!({"files_done": done, "files": 9, "written_bytes": 0});
            body.extend(text.to_string().bytes());
        });
    };
    progress(&mut answer, 1);
    for number in 0..4_000 {
        progress(&mut answer, number % 2); // to and fro
    }
    let address = impostor(answer.leak());
    let order = Order {
        first: 0,
        last: 8,
        shape: Shape {
            seed: 1,
            file_bytes: 1 << 20,
            range_bytes: 1 << 20,
        },
        read_through: false,
    };
    let mut reports = 0;
    let count = |_: Progress| {
        reports += 1;
        ControlFlow::Continue(())
    };
    let error = control::prepare(&Target::new(&*address), &order, count).unwrap_err();
    assert!(
        error.to_string().contains("its preparation is stuck"),
        "{error}"
    );
    assert_eq!(reports, 3_001);
}
