//! Frames of the application server, in both directions.

use headcount_app::frame::{HEADER_BYTES, MAX_BODY_BYTES, header};
use headcount_app::message::{Cleaned, DataSet, Hello, Prepared, Progress};
use headcount_app::reply::Reply;
use headcount_app::request::Request;
use headcount_app::statistics::Statistics;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads frame after frame: what parses encodes to the same bytes.
pub fn frames(data: &[u8]) {
    let mut rest = data;
    while let Ok(Some(head)) = header(rest) {
        assert!(head.body_bytes <= MAX_BODY_BYTES);
        assert_eq!(head.encode()[..], rest[..HEADER_BYTES]);
        let Some(frame) = rest.get(..head.frame_bytes()) else {
            return;
        };
        let body = &frame[HEADER_BYTES..];
        rest = &rest[frame.len()..];
        if let Ok(request) = Request::parse(head.kind, body) {
            let mut again = Vec::new();
            request.encode(&mut again);
            // JSON may be written in many ways.
            let is_alike = matches!(request, Request::Prepare(_)) || again[HEADER_BYTES..] == *body;
            assert!(is_alike, "{request:?}");
            if let Request::Prepare(order) = request
                && order.check().is_ok()
            {
                assert!(order.files() > 0);
            }
        }
        if let Some(Reply::Json(_, body)) = Reply::parse(head.kind, body) {
            json(body);
        }
    }
}

/// Reads a body in JSON as each of the messages.
pub fn json(data: &[u8]) {
    same::<Hello>(data);
    same::<DataSet>(data);
    same::<Prepared>(data);
    same::<Progress>(data);
    same::<Cleaned>(data);
    let _ = serde_json::from_slice::<Statistics>(data);
}

/// What is read and written is read alike.
fn same<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(data: &[u8]) {
    if let Ok(message) = serde_json::from_slice::<T>(data) {
        let again = serde_json::to_vec(&message).expect("what was read can be written");
        let again: T = serde_json::from_slice(&again).expect("what was written can be read");
        assert_eq!(again, message);
    }
}
