//! What users send, to a real nginx that stores or echoes it: bodies, headers, cookies,
//! credentials.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::fs;

use crate::common;
use crate::common::{Nginx, Person, Way, http, person, play};
use headcount_http::HttpOptions;
use headcount_http::pages::content::check;
use headcount_load::FaultKind;
use serde_json::json;

#[test]
fn bodies_of_requests_arrive_whole() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let mut person = Person::arrive(&http(nginx.options(way)), 3).await;
            let put = json!({"op": "put", "path": "/put/x{n}", "body_bytes": 3_000_000,
                             "body_content": "binary", "expect": [201, 204]});
            let moved = person.play(put).await.unwrap();
            assert_eq!(moved.written_bytes, 3_000_000, "{way:?}");
            let file = nginx.path("files/put/x3");
            let stored = fs::read(&file).unwrap();
            assert_eq!(stored.len(), 3_000_000);
            assert_eq!(&stored[..4], b"HCPG");
            let (other, _) = stored.as_chunks::<256>();
            assert_eq!(
                other[1][8..16],
                256u64.to_le_bytes(),
                "units follow each other"
            );
            let delete = json!({"op": "delete", "path": "/put/x{n}", "expect": 204});
            person.read(delete).await;
            assert!(!file.exists());

            let body = json!({"op": "put", "path": "/put/y", "body": "{\"a\": \"\u{e4}\"}",
                              "content_type": "application/json", "expect": [201, 204]});
            person.read(body).await;
            assert_eq!(
                fs::read_to_string(nginx.path("files/put/y")).unwrap(),
                "{\"a\": \"\u{e4}\"}"
            );
            let form = json!({"op": "put", "path": "/put/y", "form": {"user": "user{n:02}", "b": "c d"},
                              "expect": 204});
            person.read(form).await;
            let stored = fs::read_to_string(nginx.path("files/put/y")).unwrap();
            assert_eq!(stored, "user=user03&b=c+d");
            person.read(json!({"op": "post", "path": "/post"})).await;
            let post = json!({"op": "post", "path": "/post", "body_bytes": [100_000, 200_000]});
            let moved = person.play(post).await.unwrap();
            assert!((100_000..=200_000).contains(&moved.written_bytes));
            assert_eq!(
                (
                    person.sent("PUT"),
                    person.sent("DELETE"),
                    person.sent("POST")
                ),
                (3, 1, 2)
            );
        });
    }
}

#[test]
fn generated_bodies_can_be_checked_once_stored() {
    let nginx = Nginx::start();
    play(async {
        let mut person = person(nginx.options(Way::Plain)).await;
        person.user.begin_scenario();
        let mut draws = person.user.stream().clone();
        let put = json!({"op": "put", "path": "/put/z", "body_bytes": [5000, 9000], "expect": 201});
        let moved = person.play(put).await.unwrap();
        let size = 5000 + draws.below(4001);
        assert_eq!(moved.written_bytes, size);
        let owner = headcount_http::pages::content::Owner {
            seed: draws.bits(),
            page: 0,
            content: headcount_http::pages::Content::Text,
        };
        let stored = fs::read(nginx.path("files/put/z")).unwrap();
        assert_eq!(stored.len() as u64, size);
        assert_eq!(check(owner, 0, &stored), Ok(()));
    });
}

#[test]
fn cookies_are_kept_by_each_user_and_sent_back() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        let before = nginx.log().len();
        play(async {
            let http = http(nginx.options(way));
            let (mut one, mut two) = (
                Person::arrive(&http, 1).await,
                Person::arrive(&http, 2).await,
            );
            let get = json!({"op": "get", "path": "/text-0000.html"});
            one.read(json!({"op": "get", "path": "/cookie?value=first"}))
                .await;
            two.read(json!({"op": "get", "path": "/cookie?value=second"}))
                .await;
            one.read(get.clone()).await;
            two.read(get.clone()).await;
            let careless = HttpOptions {
                cookies: false,
                ..nginx.options(way)
            };
            let mut careless = person(careless).await;
            careless
                .read(json!({"op": "get", "path": "/cookie?value=third"}))
                .await;
            careless.read(get).await;
        });
        let log = nginx.log_of(before + 6).split_off(before);
        let cookies: Vec<_> = log
            .iter()
            .map(|line| line.split('"').nth(1).unwrap())
            .collect();
        assert_eq!(
            cookies,
            ["-", "-", "c=first", "c=second", "-", "-"],
            "{way:?}"
        );
    }
}

#[test]
fn new_visitors_start_without_cookies() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        let before = nginx.log().len();
        play(async {
            let options = HttpOptions {
                new_visitors: true,
                ..nginx.options(way)
            };
            let mut visitors = person(options).await;
            for _ in 0..2 {
                visitors.user.begin_scenario();
                for path in ["/cookie?value=mine", "/text-0000.html"] {
                    visitors.read(json!({"op": "get", "path": path})).await;
                }
            }
        });
        let log = nginx.log_of(before + 4).split_off(before);
        let cookies: Vec<_> = log
            .iter()
            .map(|line| line.split('"').nth(1).unwrap())
            .collect();
        assert_eq!(cookies, ["-", "c=mine", "-", "c=mine"], "{way:?}");
    }
}

#[test]
fn users_authenticate() {
    let nginx = Nginx::start();
    for way in Way::ALL {
        play(async {
            let known = HttpOptions {
                user: Some("user{n:05}".into()),
                password: Some(headcount_http::Password::new(common::PASSWORD)),
                ..nginx.options(way)
            };
            let get = json!({"op": "get", "path": "/private/text-0001.html"});
            let http = http(known);
            assert_eq!(Person::arrive(&http, 7).await.read(get.clone()).await, 1024);
            let mut stranger = Person::arrive(&http, 10).await;
            let fault = stranger.play(get.clone()).await.unwrap_err();
            assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, false));
            assert!(
                fault
                    .message
                    .contains("user user00010 is not accepted: status 401"),
                "{fault}"
            );
            assert!(!format!("{fault:?} {http:?}").contains(common::PASSWORD));
            let fault = stranger
                .play(json!({"op": "get", "path": "/forbidden"}))
                .await
                .unwrap_err();
            assert_eq!(fault.kind, FaultKind::Login);
            // Without credentials a 401 is an answer like any other.
            let fault = person(nginx.options(way))
                .await
                .play(get)
                .await
                .unwrap_err();
            assert_eq!(fault.kind, FaultKind::Refused);
        });
    }
}

#[test]
fn headers_of_the_target_and_of_a_step_are_sent() {
    let nginx = Nginx::with(
        common::small_set(),
        "location /who { return 200 $http_x_who; }",
    );
    for way in Way::ALL {
        play(async {
            let options = HttpOptions {
                headers: [("X-Who".to_owned(), "everybody".to_owned())].into(),
                user_agent: "robot/1".into(),
                ..nginx.options(way)
            };
            let mut person = person(options).await;
            // The answer is the header's value, so its length shows which one was sent.
            assert_eq!(person.read(json!({"op": "get", "path": "/who"})).await, 9);
            let own = json!({"op": "get", "path": "/who", "headers": {"x-who": "me"}});
            assert_eq!(person.read(own).await, 2);
        });
    }
    assert!(
        nginx
            .log_of(8)
            .iter()
            .all(|line| line.ends_with("\"robot/1\""))
    );
}

#[test]
fn users_resume_their_own_tls_sessions_if_enabled() {
    let nginx = Nginx::start();
    for (resume_tls, expected) in [(false, [".", ".", ".", "."]), (true, [".", "r", ".", "r"])] {
        let before = nginx.log().len();
        play(async {
            let options = HttpOptions {
                keep_alive: false,
                resume_tls,
                ..nginx.options(Way::Tls)
            };
            let http = http(options);
            for id in 0..2 {
                let mut person = Person::arrive(&http, id).await;
                for _ in 0..2 {
                    person
                        .read(json!({"op": "get", "path": "/text-0000.html"}))
                        .await;
                }
            }
        });
        let log = nginx.log_of(before + 4).split_off(before);
        let resumed: Vec<_> = log
            .iter()
            .map(|line| line.split(' ').nth(5).unwrap())
            .collect();
        assert_eq!(resumed, expected);
    }
}
