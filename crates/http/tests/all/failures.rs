//! Failures of real servers, and the messages about them.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use crate::common;
use crate::common::{Nginx, Person, Way, http, person, play};
use headcount_http::HttpOptions;
use headcount_load::FaultKind;
use rustix::process::Signal;
use serde_json::json;

#[test]
fn an_unexpected_status_names_the_path_and_keeps_the_connection() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            let refused = [
                (
                    "/nowhere",
                    "GET /nowhere: status 404 Not Found instead of 200",
                ),
                (
                    "/moved",
                    "status 302 Found instead of 200; redirects are not followed",
                ),
                // nginx closes the connection after it.
                (
                    "/broken",
                    "GET /broken: status 500 Internal Server Error instead of 200",
                ),
            ];
            for (path, part) in refused {
                let get = json!({"op": "get", "path": path});
                let fault = person.play(get).await.unwrap_err();
                assert_eq!(
                    (fault.kind, fault.ends_session),
                    (FaultKind::Refused, false)
                );
                assert!(fault.message.contains(part), "{fault}");
                assert_eq!(person.sent("CONNECT"), 1, "{way:?}");
            }
            let moved = json!({"op": "get", "path": "/moved", "expect": [301, 302]});
            assert!(person.read(moved).await > 0);
        });
    }
}

#[test]
fn a_request_refused_before_its_end_is_reported_as_refused() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            let post = json!({"op": "post", "path": "/little", "body_bytes": 50_000_000});
            let fault = person.play(post).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Refused, false),
                "{way:?} {fault}"
            );
            let part = "POST /little: status 413 Payload Too Large instead of 200";
            assert!(fault.message.contains(part), "{fault}");
            assert_eq!(
                person
                    .read(json!({"op": "get", "path": "/text-0001.html"}))
                    .await,
                1024
            );
        });
    }
}

#[test]
fn pages_changed_behind_the_servers_back_are_wrong_data() {
    let nginx = Nginx::start();
    let image = nginx.behind("/a/image-0001.bin");
    flip(&image, 777);
    fs::copy(
        nginx.behind("/text-0002.html"),
        nginx.behind("/a/text-0002.html"),
    )
    .unwrap();
    let cut = nginx.behind("/a/b/text-0001.html");
    fs::File::options()
        .write(true)
        .open(cut)
        .unwrap()
        .set_len(1000)
        .unwrap();
    let mut long = fs::File::options()
        .append(true)
        .open(nginx.behind("/large-0000.bin"))
        .unwrap();
    long.write_all(b"more").unwrap();
    let parts = [
        (
            "/a/image-0001.bin",
            "wrong data at offset 777: these bytes were changed",
        ),
        ("/chunked/a/image-0001.bin", ""), // not a page of the data set
        (
            "/a/text-0002.html",
            "wrong data at offset 29: it holds data of /text-0002.html",
        ),
        ("/a/b/text-0001.html", "1000 bytes came instead of 1024"),
        (
            "/large-0000.bin",
            "wrong data at offset 131072: the page should have ended",
        ),
    ];
    for way in Way::ALL {
        for accept_gzip in [false, true] {
            play(async {
                let options = HttpOptions {
                    accept_gzip,
                    ..nginx.options(way)
                };
                let mut person = person(options).await;
                for (path, part) in parts {
                    let played = person.play(json!({"op": "get", "path": path})).await;
                    if part.is_empty() {
                        assert!(played.is_ok(), "{path}");
                        continue;
                    }
                    let fault = played.unwrap_err();
                    assert_eq!(
                        (fault.kind, fault.ends_session),
                        (FaultKind::WrongData, false)
                    );
                    assert!(
                        fault.message.starts_with(&format!("GET {path}: {part}")),
                        "{fault}"
                    );
                }
                assert_eq!(person.sent("CONNECT"), 1);
            });
        }
        play(async {
            // Lengths are checked even if contents are not.
            let options = HttpOptions {
                verify: 0.0,
                ..nginx.options(way)
            };
            let mut careless = person(options).await;
            careless
                .read(json!({"op": "get", "path": "/a/image-0001.bin"}))
                .await;
            for (path, part) in [
                ("/a/b/text-0001.html", "1000 bytes came instead of 1024"),
                ("/large-0000.bin", "131076 bytes came instead of 131072"),
            ] {
                let get = json!({"op": "get", "path": path});
                let fault = careless.play(get).await.unwrap_err();
                assert!(fault.message.contains(part), "{fault}");
                let head = json!({"op": "head", "path": path});
                let fault = careless.play(head).await.unwrap_err();
                assert!(fault.message.contains(part), "{fault}");
            }
        });
    }
}

fn flip(path: &Path, at: u64) {
    let mut file = fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(at)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[byte[0] ^ 1]).unwrap();
}

#[test]
fn pages_missing_from_the_data_set_cannot_be_drawn() {
    let nginx = Nginx::start();
    play(async {
        let mut person = person(nginx.options(Way::Plain)).await;
        for page in [json!("cgi"), json!(["nothing", "none"])] {
            let get = json!({"op": "get", "page": page});
            let fault = person.play(get).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Refused, false)
            );
            let shown = page.to_string().replace(',', ", ");
            let part = format!("no pages for page = {shown}");
            assert!(fault.message.contains(&part), "{fault}");
        }
    });
}

#[test]
fn a_share_of_the_answers_can_be_checked() {
    let nginx = Nginx::start();
    flip(&nginx.behind("/text-0000.html"), 50);
    play(async {
        let options = HttpOptions {
            verify: 0.25,
            ..nginx.options(Way::Plain)
        };
        let mut person = person(options).await;
        let mut found = 0;
        for _ in 0..400 {
            person.user.begin_scenario();
            found += u32::from(
                person
                    .play(json!({"op": "get", "path": "/text-0000.html"}))
                    .await
                    .is_err(),
            );
        }
        // User and scenario alone decide which; five standard deviations are 43.
        assert!((57..=143).contains(&found), "{found}");
    });
}

#[test]
fn a_killed_server_loses_connections_and_accepts_none() {
    for way in Way::ALL {
        let mut nginx = Nginx::start();
        // More than a socket's buffer holds.
        let huge = fs::File::create(nginx.behind("/huge")).unwrap();
        huge.set_len(64 << 20).unwrap();
        play(async {
            let http = http(nginx.options(way));
            let mut person = Person::arrive(&http, 0).await;
            person.read(json!({"op": "request", "path": "/huge"})).await;
            nginx.kill();
            let fault = person.play(json!({"op": "receive"})).await.unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Disconnected, true),
                "{way:?} {fault}"
            );
            assert!(fault.message.starts_with("GET /huge: "), "{fault}");
            let mut next = Person::arrive(&http, 0).await;
            let fault = next
                .play(json!({"op": "get", "path": "/"}))
                .await
                .unwrap_err();
            assert_eq!(
                (fault.kind, fault.ends_session),
                (FaultKind::Connect, true),
                "{way:?} {fault}"
            );
            let address = format!("127.0.0.1:{}: no connection", nginx.port(way));
            assert!(fault.message.starts_with(&address), "{fault}");
        });
    }
}

#[test]
fn users_wait_for_a_frozen_server_and_are_served_afterwards() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let http = http(nginx.options(way));
            let get = json!({"op": "get", "path": "/text-0001.html"});
            let (mut one, mut two) = (
                Person::arrive(&http, 0).await,
                Person::arrive(&http, 1).await,
            );
            one.read(get.clone()).await;
            nginx.signal(Signal::STOP);
            let limit = Duration::from_millis(300);
            assert!(
                tokio::time::timeout(limit, one.play(get.clone()))
                    .await
                    .is_err()
            );
            assert!(
                tokio::time::timeout(limit, two.play(get.clone()))
                    .await
                    .is_err()
            );
            nginx.signal(Signal::CONT);
            let mut next = Person::arrive(&http, 2).await;
            assert_eq!(next.read(get).await, 1024, "{way:?}");
        });
    }
}

#[test]
fn users_reconnect_after_an_announced_close() {
    let nginx = Nginx::with(common::small_set(), "keepalive_requests 3;");
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            let get = json!({"op": "get", "path": "/text-0001.html"});
            for _ in 0..7 {
                person.read(get.clone()).await;
            }
            assert_eq!(person.sent("CONNECT"), 3, "{way:?}");
        });
    }
}

#[test]
fn users_reconnect_after_an_idle_connection_was_closed() {
    let nginx = Nginx::with(common::small_set(), "keepalive_timeout 50ms;");
    for way in Way::ALL {
        play(async {
            let mut person = person(nginx.options(way)).await;
            let get = json!({"op": "get", "path": "/text-0001.html"});
            person.read(get.clone()).await;
            assert_eq!(person.sent("CONNECT"), 1, "{way:?}");
            tokio::time::sleep(Duration::from_millis(300)).await;
            person.read(get).await;
            assert_eq!(person.sent("CONNECT"), 2, "{way:?}");
        });
    }
}
