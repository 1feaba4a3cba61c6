//! What users can do, against a real nginx: over TCP, TLS and HTTP/2.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::time::Duration;

use crate::common::{Nginx, PATIENCE, Way, pause, person, play};
use headcount_http::HttpOptions;
use headcount_load::FaultKind;
use headcount_load::clock::Origin;
use serde_json::json;

#[test]
fn pages_are_fetched_checked_and_counted_every_way() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            for page in nginx.set.files() {
                let path = nginx.set.path(&page);
                assert_eq!(
                    person.read(json!({"op": "get", "path": path})).await,
                    page.bytes
                );
            }
            let pages = nginx.set.files().count() as u64;
            assert_eq!(
                (person.sent("GET"), person.sent("CONNECT")),
                (pages, 1),
                "{way:?}"
            );
        });
    }
    let pages = nginx.set.files().count();
    let log = nginx.log_of(4 * pages);
    let version = |line: &String| line.split(' ').nth(3).unwrap().to_owned();
    for (way, lines) in Way::ALL.iter().zip(log.chunks(pages)) {
        let expected = if way.is_http2() {
            "HTTP/2.0"
        } else {
            "HTTP/1.1"
        };
        assert!(
            lines.iter().all(|line| version(line) == expected),
            "{way:?}: {lines:?}"
        );
        assert!(
            lines
                .iter()
                .all(|line| line.contains(" 200 ") && line.contains("headcount/"))
        );
    }
}

#[test]
fn drawn_pages_repeat_for_the_same_seed_whatever_is_checked() {
    let nginx = Nginx::start();
    let drawn = |verify| {
        let before = nginx.log().len();
        play(async {
            let options = HttpOptions {
                verify,
                ..nginx.options(Way::Plain)
            };
            let mut person = person(options).await;
            for _ in 0..30 {
                person.user.begin_scenario();
                person.read(json!({"op": "get", "page": "any"})).await;
            }
        });
        nginx.log_of(before + 30).split_off(before)
    };
    let paths = |log: Vec<String>| -> Vec<String> {
        log.iter()
            .map(|line| line.split(' ').nth(1).unwrap().to_owned())
            .collect()
    };
    let (checked, unchecked, half) = (paths(drawn(1.0)), paths(drawn(0.0)), paths(drawn(0.5)));
    assert_eq!(checked, unchecked);
    assert_eq!(checked, half);
    let mut different = checked.clone();
    different.sort();
    different.dedup();
    assert!(different.len() > 5, "{different:?}");
}

#[test]
fn small_reads_and_discards_count_the_same_bytes() {
    let nginx = Nginx::start();
    for (receive_buffer, verify) in [(0, 0.0), (1, 0.0), (4096, 0.0), (4096, 1.0), (7, 1.0)] {
        for way in [Way::Plain, Way::Tls] {
            play(async {
                let options = HttpOptions {
                    receive_buffer,
                    verify,
                    ..nginx.options(way)
                };
                let mut person = person(options).await;
                for path in [
                    "/large-0000.bin",
                    "/text-0001.html",
                    "/chunked/a/large-0000.bin",
                ] {
                    let bytes = if path.contains("large") {
                        131_072
                    } else {
                        1024
                    };
                    assert_eq!(person.read(json!({"op": "get", "path": path})).await, bytes);
                }
                assert_eq!(person.sent("CONNECT"), 1);
            });
        }
    }
}

#[test]
fn chunks_and_gzip_are_read() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let plain = nginx.options(way);
            let mut without_gzip = person(plain.clone()).await;
            assert_eq!(
                without_gzip
                    .read(json!({"op": "get", "path": "/chunked/large-0001.bin"}))
                    .await,
                2_000_000
            );
            assert_eq!(
                without_gzip
                    .read(json!({"op": "get", "path": "/proxied/a/text-0002.html"}))
                    .await,
                16_384
            );
            let options = HttpOptions {
                accept_gzip: true,
                ..plain
            };
            let mut person = person(options).await;
            let bytes = person
                .read(json!({"op": "get", "path": "/text-0002.html"}))
                .await;
            assert!(
                (1000..8000).contains(&bytes),
                "counted as they come: {bytes}"
            );
            let bytes = person
                .read(json!({"op": "get", "path": "/large-0000.bin"}))
                .await;
            assert!(
                (100_000..131_072).contains(&bytes),
                "does not compress: {bytes}"
            );
        });
    }
}

#[test]
fn without_keep_alive_the_server_closes_each_connection() {
    let nginx = Nginx::start();
    for way in [Way::Plain, Way::Tls] {
        let (ours, theirs) = waiting(nginx.port(way));
        play(async {
            let options = HttpOptions {
                keep_alive: false,
                ..nginx.options(way)
            };
            let mut person = person(options).await;
            for path in [
                "/text-0001.html",
                "/large-0000.bin",
                "/chunked/text-0000.html",
            ] {
                person.read(json!({"op": "get", "path": path})).await;
            }
            assert_eq!((person.sent("GET"), person.sent("CONNECT")), (3, 3));
        });
        // nginx closes after its answer was read: on a busy machine a moment later.
        let origin = Origin::now();
        while waiting(nginx.port(way)) != (ours, theirs + 3)
            && Duration::from_nanos(origin.elapsed_ns()) < PATIENCE
        {
            pause(Duration::from_millis(10));
        }
        assert_eq!(waiting(nginx.port(way)), (ours, theirs + 3), "{way:?}");
    }
    let log = nginx.log_of(6);
    let mut connections: Vec<_> = log
        .iter()
        .map(|line| line.split(' ').nth(4).unwrap())
        .collect();
    connections.sort_unstable();
    connections.dedup();
    assert_eq!(connections.len(), 6, "{log:?}");
}

/// Connections of the server's port in `TIME_WAIT` (06 in proc(5)): at our end, and at its end.
fn waiting(port: u16) -> (usize, usize) {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{port:04X}");
    let at = |field: usize| {
        let rows = table.lines().map(|line| line.split_whitespace());
        rows.map(|mut row| (row.clone().nth(field), row.nth(3)))
            .filter(|(address, state)| {
                *state == Some("06") && address.is_some_and(|address| address.ends_with(&port))
            })
            .count()
    };
    (at(2), at(1))
}

#[test]
fn a_request_can_be_played_in_parts() {
    let nginx = Nginx::start();
    for (way, keep_alive) in [
        (Way::Plain, false),
        (Way::Plain, true),
        (Way::Tls, false),
        (Way::Http2, true),
        (Way::Http2Tls, true),
    ] {
        play(async {
            let options = HttpOptions {
                keep_alive,
                ..nginx.options(way)
            };
            let mut person = person(options).await;
            for _ in 0..2 {
                assert_eq!(person.read(json!({"op": "connect"})).await, 0);
                let request = json!({"op": "request", "path": "/large-0001.bin"});
                assert_eq!(person.read(request).await, 0);
                assert_eq!(person.read(json!({"op": "receive"})).await, 2_000_000);
                assert_eq!(person.read(json!({"op": "disconnect"})).await, 0);
            }
            assert_eq!(
                (person.sent("GET"), person.sent("CONNECT")),
                (2, 2),
                "{way:?}"
            );
            person
                .read(json!({"op": "request", "path": "/text-0000.html"}))
                .await;
            assert_eq!(person.read(json!({"op": "receive"})).await, 100);
            let fault = person.play(json!({"op": "receive"})).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Refused, false)
            );
            assert!(
                fault.message.contains("a request must come first"),
                "{fault}"
            );
        });
    }
}

#[test]
fn an_unread_answer_does_not_leak_into_the_next() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            person
                .read(json!({"op": "request", "path": "/large-0001.bin"}))
                .await;
            assert_eq!(
                person
                    .read(json!({"op": "get", "path": "/text-0001.html"}))
                    .await,
                1024
            );
            assert_eq!(person.sent("CONNECT"), 2, "{way:?}");
            // An answer with a wrong status is received at once.
            let request = json!({"op": "request", "path": "/nowhere"});
            let fault = person.play(request).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Refused, false)
            );
            assert_eq!(
                person
                    .read(json!({"op": "get", "path": "/text-0001.html"}))
                    .await,
                1024
            );
            assert_eq!(person.sent("CONNECT"), 2, "{way:?}");
        });
    }
}

#[test]
fn answers_without_bodies_are_recognised() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            assert_eq!(
                person
                    .read(json!({"op": "head", "path": "/large-0001.bin"}))
                    .await,
                0
            );
            let nothing = json!({"op": "get", "path": "/nothing", "expect": 204});
            assert_eq!(person.read(nothing).await, 0);
            let modified = json!({"op": "get", "path": "/text-0002.html", "expect": [200, 304],
                "headers": {"If-Modified-Since": "Fri, 31 Dec 2100 23:59:59 GMT"}});
            assert_eq!(person.read(modified).await, 0);
            assert_eq!(
                person
                    .read(json!({"op": "get", "path": "/text-0002.html"}))
                    .await,
                16_384
            );
            assert_eq!(
                (person.sent("HEAD"), person.sent("CONNECT")),
                (1, 1),
                "{way:?}"
            );
        });
    }
}
