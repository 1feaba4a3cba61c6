//! What a PostgreSQL server sends.

use std::ops::ControlFlow;

use bytes::BytesMut;
use headcount_load::{Fault, Password};
use headcount_sql::answer::{Answer, Rows, Shape};
use headcount_sql::copy_answer::{CopyAnswer, Turn};
use headcount_sql::frames::Frames;
use headcount_sql::logon::{Ground, Logon, Protection, Terms};
use headcount_sql::row::{Row, Type};
use headcount_sql::{ChannelBinding, Method, RequireAuth};

use crate::input::Input;

/// There is a password.
const HAS_PASSWORD: u8 = 1;
/// Only a proof that tells nobody the password is allowed; otherwise everything is.
const IS_STRICT: u8 = 2;
/// The proof can be bound to a certificate, and must be.
const CAN_BIND: u8 = 3;
const MUST_BIND: u8 = 4;
/// Not a text that a nonce or a proof can have in it.
const PASSWORD: &str = "s3cret of the fuzzer";

/// What a logon comes to, and what was sent for it.
fn logged_on<'a>(
    input: &Input<'_>,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> (Result<Option<Protection>, Fault>, BytesMut) {
    let terms = Terms {
        user: "headcount".to_owned(),
        password: input.is_on(HAS_PASSWORD).then(|| Password::new(PASSWORD)),
        allowed: if input.is_on(IS_STRICT) {
            RequireAuth::of(&[Method::ScramSha256])
        } else {
            RequireAuth::of(&Method::ALL)
        },
        binding: if input.is_on(MUST_BIND) {
            ChannelBinding::Require
        } else {
            ChannelBinding::Prefer
        },
    };
    let ground = Ground {
        tls: None,
        end_point: input.is_on(CAN_BIND).then(|| vec![7; 32]),
    };
    let (mut frames, mut out) = (Frames::default(), BytesMut::new());
    let mut logon = Logon::new(&terms, ground);
    for piece in pieces {
        match frames.take(piece, |message| logon.take(message, &mut out)) {
            Ok(None) => {}
            found => return (found, out),
        }
    }
    (Ok(None), out)
}

/// Logs on: what comes of it does not depend on the pieces, and whoever may not have the password gets
/// nothing that has it in it.
pub fn logon(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, sent) = logged_on(&input, input.whole());
    let (pieces, _) = logged_on(&input, input.pieces());
    assert_eq!(whole, pieces, "pieces make no difference");
    if input.is_on(IS_STRICT) {
        let is_told = sent
            .windows(PASSWORD.len())
            .any(|part| part == PASSWORD.as_bytes());
        assert!(!is_told, "the password is not told");
        let is_bound = !input.is_on(MUST_BIND) || input.is_on(CAN_BIND);
        assert!(is_bound || sent.is_empty(), "nothing unbound is sent");
    }
}

/// What a server says before the first question.
const LET_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

type Outcome = Result<Option<Result<(Shape, Rows), Fault>>, Fault>;

/// Where a connection is in the server's messages before the first question.
fn let_in() -> Result<Frames, Fault> {
    let mut frames = Frames::default();
    frames.take(LET_IN, |message| {
        Ok(match message.tag {
            b'Z' => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    })?;
    Ok(frames)
}

fn answered<'a, F: FnMut(Row<'_>) -> Result<(), Fault>>(
    mut answer: Answer<'_, F>,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Outcome {
    let mut frames = let_in()?;
    for piece in pieces {
        if frames
            .take(piece, |message| answer.take(message))?
            .is_some()
        {
            return Ok(Some(answer.finish()));
        }
    }
    Ok(None)
}

/// Goes through a row: its values are inside of it.
fn read(mut row: Row<'_>) -> Result<(), Fault> {
    let (mut typed, mut bytes) = (row, 0);
    while let Some(value) = row.next_bytes() {
        bytes += 4 + value.map_or(0, <[u8]>::len);
    }
    assert_eq!(bytes, row.bytes(), "values are all of the row");
    typed.read::<i64>()?;
    typed.read::<&str>().map(drop)
}

/// The answer to a COPY, in one way or the other.
fn copied<'a>(input: &Input<'_>, pieces: impl Iterator<Item = &'a [u8]>) -> Outcome {
    let mut answer = if input.mode & 4 > 0 {
        CopyAnswer::from_stdin()
    } else {
        CopyAnswer::to_stdout((|_| {}) as fn(&[u8]))
    };
    let mut frames = let_in()?;
    for piece in pieces {
        let mut rest = piece;
        while let Some(turn) = frames.take(rest, |message| answer.take(message))? {
            if turn == Turn::End {
                return Ok(Some(answer.finish().map(|rows| (Shape::default(), rows))));
            }
            rest = &[];
        }
    }
    Ok(None)
}

fn outcome<'a>(input: &Input<'_>, pieces: impl Iterator<Item = &'a [u8]>) -> Outcome {
    const WANTED: [Type; 2] = [Type::Int8, Type::Text];
    match input.mode & 3 {
        1 if input.mode & 4 > 0 => answered(Answer::to_ask(Some(&WANTED), read).naming(), pieces),
        0 => answered(Answer::to_prepare(Some(&WANTED)), pieces),
        1 => answered(Answer::to_execute(2, read), pieces),
        2 => answered(Answer::to_query(read), pieces),
        _ => copied(input, pieces),
    }
}

/// Reads the answer to a question.
pub fn answer(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let (whole, pieces) = (
        outcome(&input, input.whole()),
        outcome(&input, input.pieces()),
    );
    assert_eq!(whole, pieces, "pieces make no difference");
}
