//! Random and mutated messages.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::common;
use crate::common::{SHAPE, app, eventually, folder, frame, greeted, play, start, step, user};
use headcount_app::block::{Generation, Place, stamp};
use headcount_app::frame::{HEADER_BYTES, header};
use headcount_app::message::{Order, PROTOCOL};
use headcount_app::reply::Reply;
use headcount_app::request::Request;
use headcount_load::{Protocol, Session};
use proptest::prelude::*;
use serde_json::json;

/// One request of every kind, whatever its payload.
fn requests(payload: &[u8], seed: u64, number: u32) -> [Request<'_>; 8] {
    let bytes = (number % 256 + 1) * 4096;
    let file_bytes = u64::from(bytes) * 2;
    let shape = headcount_app::message::Shape {
        seed,
        file_bytes,
        range_bytes: file_bytes,
    };
    let (first, last) = (number % 1000, number % 1000 + 7);
    let offset = seed / 4096 * 4096;
    [
        Request::Hello {
            protocol: PROTOCOL,
            token: &payload[..payload.len().min(200)],
        },
        Request::ClientServer {
            checksum: number,
            payload,
        },
        Request::Processor {
            seed,
            rounds: number % 4097,
        },
        Request::ServerClient { seed, bytes },
        Request::Read {
            file: number,
            offset,
            bytes,
        },
        Request::Prepare(Order {
            first,
            last,
            shape,
            read_through: true,
        }),
        Request::Statistics,
        Request::Cleanup,
    ]
}

proptest! {
    #[test]
    fn what_is_encoded_is_parsed_again(payload in prop::collection::vec(any::<u8>(), 0..300), seed: u64, number: u32) {
        for request in requests(&payload, seed, number) {
            let bytes = frame(&request);
            let head = header(&bytes).unwrap().unwrap();
            prop_assert_eq!(head.frame_bytes(), bytes.len());
            prop_assert_eq!(Request::parse(head.kind, &bytes[HEADER_BYTES..]), Ok(request));
        }
    }

    #[test]
    fn parsing_random_bodies_never_panics(kind in 0u8..=255, body in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut bytes = frame(&Request::Statistics);
        bytes[4] = kind;
        if let Ok(Some(head)) = header(&bytes) {
            let request = Request::parse(head.kind, &body);
            let encodes_alike = request.is_err() || request.is_ok_and(|request| {
                matches!(request, Request::Prepare(_)) || frame(&request)[HEADER_BYTES..] == body
            });
            prop_assert!(encodes_alike);
            let _ = Reply::parse(head.kind, &body);
        }
    }
}

#[test]
fn random_and_mutated_messages_never_harm_the_server() {
    let home = folder();
    let server = start(home.path(), |_| {});
    common::prepare(&server, 0);
    let mut block = [0; 4096];
    let place = Place {
        file: 0,
        offset: 0,
        seed: SHAPE.seed,
    };
    stamp(&mut block, place, Generation::default());
    let good = [
        frame(&Request::ClientServer {
            checksum: crc32fast::hash(b"abc"),
            payload: b"abc",
        }),
        frame(&Request::Processor { seed: 1, rounds: 2 }),
        frame(&Request::ServerClient {
            seed: 1,
            bytes: 100,
        }),
        frame(&Request::Read {
            file: 0,
            offset: 4096,
            bytes: 8192,
        }),
        frame(&Request::Write {
            file: 0,
            offset: 0,
            block: &block,
        }),
        frame(&Request::Statistics),
    ];
    let cases = (
        prop::sample::select(good.to_vec()),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        any::<prop::sample::Index>(),
        any::<bool>(),
    );
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |((frame, changes, cut, is_cut) in cases)| {
        let mut frame = frame;
        for (at, byte) in changes {
            let at = at.index(frame.len());
            frame[at] = byte;
        }
        if is_cut {
            frame.truncate(cut.index(frame.len()));
        }
        let mut stream = greeted(server.address());
        stream.write_all(&frame).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // Whatever happens, the server ends the conversation, since the client has.
        stream.read_to_end(&mut answer).unwrap();
    });
    let (app, mut user) = (app(server.address()), user(0));
    let compute = step(&json!({"op": "processor", "rounds": 1}));
    play(async {
        let mut session = app.open(&mut user).await.unwrap();
        session.play(&compute, &mut user).await.unwrap();
    });
    eventually("nobody works", || server.statistics().threads.busy == 0);
}
