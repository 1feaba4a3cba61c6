//! What a PostgreSQL server sends.

use std::sync::{Arc, OnceLock};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use headcount_load::Fault;
use headcount_sql::guard::{Guard, Protection, Terms};
use headcount_sql::{Method, RequireAuth};
use postgres_protocol::message::backend::Message;

use crate::input::Input;

/// The server was asked for TLS.
const ASKS: u8 = 0;
/// There is a password.
const HAS_PASSWORD: u8 = 1;
/// Only these ways of asking for it are allowed; otherwise the usual ones.
const IS_STRICT: u8 = 2;

fn new(input: &Input<'_>) -> (Guard, Arc<OnceLock<Protection>>) {
    let protection = Arc::default();
    let terms = Terms {
        asks_for_tls: input.is_on(ASKS),
        has_password: input.is_on(HAS_PASSWORD),
        allowed: if input.is_on(IS_STRICT) {
            RequireAuth::of(&[Method::ScramSha256])
        } else {
            RequireAuth::default()
        },
    };
    (Guard::new(terms, Arc::clone(&protection)), protection)
}

fn looked<'a>(
    input: &Input<'_>,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<Protection>, Fault> {
    let (mut guard, protection) = new(input);
    for piece in pieces {
        guard.look(piece)?;
    }
    Ok(protection.get().copied())
}

/// Has the guard look at what arrives: it finds the same however that is cut.
pub fn guard(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, pieces) = (
        looked(&input, input.whole()),
        looked(&input, input.pieces()),
    );
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// Reads what the guard has let pass, with the reader that tokio-postgres has.
pub fn messages(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (mut guard, _) = new(&input);
    let mut received = BytesMut::new();
    let is_after_tls = input.is_on(ASKS);
    for (index, piece) in input.pieces().enumerate() {
        if guard.look(piece).is_err() {
            return;
        }
        // Whether the server wants TLS is one byte, which tokio-postgres reads by itself.
        let skipped = usize::from(is_after_tls && index == 0);
        received.extend_from_slice(&piece[skipped..]);
        while let Ok(Some(message)) = Message::parse(&mut received) {
            understand(&message);
        }
    }
}

/// Goes through all that has parts. They may be wrong, which ends a conversation.
fn understand(message: &Message) {
    match message {
        Message::AuthenticationSasl(body) => drop(body.mechanisms().count()),
        Message::ErrorResponse(body) => drop(body.fields().count()),
        Message::NoticeResponse(body) => drop(body.fields().count()),
        Message::RowDescription(body) => drop(body.fields().count()),
        Message::ParameterDescription(body) => drop(body.parameters().count()),
        Message::CommandComplete(body) => drop(body.tag()),
        Message::ParameterStatus(body) => drop((body.name(), body.value())),
        Message::NotificationResponse(body) => drop((body.channel(), body.message())),
        Message::DataRow(body) => {
            let mut ranges = body.ranges();
            while let Ok(Some(range)) = ranges.next() {
                if let Some(range) = range {
                    assert!(body.buffer().get(range).is_some(), "inside of the row");
                }
            }
        }
        _ => {}
    }
}
