//! What servers of HTTP/2 rarely do, by one in the test.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::time::Duration;

use bytes::Bytes;
use h2::{Reason, SendStream};
use http::Response;
use tokio::net::{TcpListener, TcpStream};

use crate::common::{person, play};
use headcount_http::HttpOptions;
use serde_json::json;

/// A connection of the server.
type Accepted = h2::server::Connection<TcpStream, Bytes>;

/// A server, and the options of its users.
async fn server() -> (TcpListener, HttpOptions) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let options = HttpOptions {
        http2: true,
        ..HttpOptions::new(&url)
    };
    (listener, options)
}

async fn accept(listener: &TcpListener) -> Accepted {
    let (stream, _) = listener.accept().await.unwrap();
    h2::server::handshake(stream).await.unwrap()
}

/// Answers the next request with the beginning of an event stream.
async fn begin_events(connection: &mut Accepted, text: impl Into<Bytes>) -> SendStream<Bytes> {
    let (_, mut respond) = connection.accept().await.unwrap().unwrap();
    let head = Response::builder().header("content-type", "text/event-stream");
    let head = head.body(()).unwrap();
    let mut stream = respond.send_response(head, false).unwrap();
    stream.send_data(text.into(), false).unwrap();
    stream
}

#[test]
fn an_event_stream_that_the_server_resets_is_opened_again() {
    play(async {
        let (listener, options) = server().await;
        let serving = tokio::spawn(async move {
            let mut connection = accept(&listener).await;
            let text = "retry: 0\n\ndata: one\n\n";
            let mut first = begin_events(&mut connection, text).await;
            let sending = connection.accept(); // a reset drops what was not sent
            let next = tokio::time::timeout(Duration::from_millis(100), sending).await;
            assert!(next.is_err());
            first.send_reset(Reason::INTERNAL_ERROR);
            let second = begin_events(&mut connection, "data: two!\n\n").await;
            let _ = connection.accept().await; // until the user has left
            drop(second);
        });
        let mut person = person(options).await;
        person.read(json!({"op": "sse-connect", "path": "/"})).await;
        assert_eq!(person.read(json!({"op": "sse-receive"})).await, 3);
        assert_eq!(person.read(json!({"op": "sse-receive"})).await, 4);
        drop(person);
        serving.await.unwrap();
    });
}

#[test]
fn events_that_nobody_reads_do_not_hold_up_other_answers() {
    play(async {
        let (listener, options) = server().await;
        let serving = tokio::spawn(async move {
            let mut connection = accept(&listener).await;
            let events = begin_events(&mut connection, vec![b':'; 3 << 20]).await;
            let (_, mut respond) = connection.accept().await.unwrap().unwrap();
            let mut page = respond.send_response(Response::new(()), false).unwrap();
            page.send_data("hello".into(), true).unwrap();
            let _ = connection.accept().await; // until the user has left
            drop(events);
        });
        let mut person = person(options).await;
        person.read(json!({"op": "sse-connect", "path": "/"})).await;
        assert_eq!(person.read(json!({"op": "get", "path": "/"})).await, 5);
        drop(person);
        serving.await.unwrap();
    });
}

#[test]
fn a_steps_own_host_is_the_site_that_it_asks_for() {
    play(async {
        let (listener, options) = server().await;
        let serving = tokio::spawn(async move {
            let mut connection = accept(&listener).await;
            let (request, mut respond) = connection.accept().await.unwrap().unwrap();
            let site = request.uri().authority().unwrap().to_string();
            let has_host = request.headers().contains_key("host");
            respond.send_response(Response::new(()), true).unwrap();
            let _ = connection.accept().await; // until the user has left
            (site, has_host)
        });
        let mut person = person(options).await;
        let headers = json!({"Host": "shop.test"});
        let get = json!({"op": "get", "path": "/", "headers": headers});
        person.read(get).await;
        drop(person);
        assert_eq!(serving.await.unwrap(), ("shop.test".to_owned(), false));
    });
}
