//! Users who authenticate by Digest, against a real Apache.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::time::Duration;

use crate::common::apache::Apache;
use crate::common::{Nginx, PASSWORD, Person, Way, http, pause, person, play};
use headcount_http::HttpOptions;
use headcount_http::options::Auth;
use headcount_load::{FaultKind, Password};
use serde_json::{Value, json};

fn get(path: &str) -> Value {
    json!({"op": "get", "path": path, "check": [{"equals": "welcome"}]})
}

#[test]
fn users_are_challenged_only_once() {
    let apache = Apache::start();
    play(async {
        let target = http(apache.options());
        let mut users = [
            Person::arrive(&target, 0).await,
            Person::arrive(&target, 1).await,
        ];
        for _ in 0..3 {
            for user in &mut users {
                assert_eq!(user.read(get("/long/page?x=1,2")).await, 7);
            }
        }
        // The body is sent again with the second request.
        let form = json!({"op": "post", "path": "/long/page", "form": {"a": "b"}});
        users[0].play(form).await.unwrap();
        assert_eq!((users[0].sent("GET"), users[0].sent("POST")), (4, 1));
        assert_eq!(users[0].sent("CONNECT"), 1);
    });
    let log = apache.log_of(9);
    let known = |user: &str| {
        let line = format!("GET /long/page 200 {user} HTTP/1.1");
        log.iter().filter(|seen| **seen == line).count()
    };
    assert_eq!((known("user00000"), known("user00001")), (3, 3), "{log:#?}");
    let refused = log.iter().filter(|line| line.contains(" 401 ")).count();
    assert_eq!((refused, log.len()), (2, 9), "{log:#?}");
}

#[test]
fn users_of_http2_are_challenged_only_once_per_area() {
    let apache = Apache::start();
    play(async {
        let mut user = person(HttpOptions {
            http2: true,
            ..apache.options()
        })
        .await;
        for _ in 0..3 {
            assert_eq!(user.read(get("/long/page?x=1,2")).await, 7);
        }
        assert_eq!(user.read(get("/once/page")).await, 7);
        assert_eq!((user.sent("GET"), user.sent("CONNECT")), (6, 1));
    });
    let log = apache.log_of(6);
    let known = log
        .iter()
        .filter(|line| line.ends_with(" 200 user00000 HTTP/2.0"));
    assert_eq!((known.count(), log.len()), (4, 6), "{log:#?}");
}

#[test]
fn a_stale_nonce_is_replaced() {
    let apache = Apache::start();
    play(async {
        let mut user = person(apache.options()).await;
        user.read(get("/short/page")).await;
        pause(Duration::from_millis(2100)); // the nonce lives for a second, and Apache rounds
        user.read(get("/short/page")).await;
        assert_eq!(user.sent("GET"), 4);
    });
}

#[test]
fn the_next_nonce_of_the_server_is_used() {
    let apache = Apache::start();
    play(async {
        let mut user = person(apache.options()).await;
        for _ in 0..5 {
            user.read(get("/once/page")).await;
        }
        assert_eq!(user.sent("GET"), 6);
    });
}

#[test]
fn a_request_in_parts_can_be_challenged() {
    let apache = Apache::start();
    play(async {
        let mut user = person(apache.options()).await;
        user.read(json!({"op": "request", "path": "/long/page"}))
            .await;
        assert_eq!(user.read(json!({"op": "receive"})).await, 7);
    });
}

#[test]
fn users_who_cannot_authenticate_are_refused() {
    let apache = Apache::start();
    let nginx = Nginx::start();
    play(async {
        let mut stranger = person(HttpOptions {
            password: Some(Password::new("wrong")),
            ..apache.options()
        })
        .await;
        for requests in [2, 3] {
            let fault = stranger.play(get("/long/page")).await.unwrap_err();
            assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, false));
            assert!(
                fault.message.contains("user user00000 is not accepted"),
                "{fault}"
            );
            assert_eq!(stranger.sent("GET"), requests);
        }
        let mut lost = person(HttpOptions {
            auth: Auth::Digest,
            user: Some("user00000".into()),
            password: Some(Password::new(PASSWORD)),
            ..nginx.options(Way::Plain)
        })
        .await;
        let fault = lost.play(get("/private/text-0001.html")).await.unwrap_err();
        assert!(
            fault
                .message
                .contains("but Basic; for Basic: --client auth=basic"),
            "{fault}"
        );
    });
}
