//! Frames of servers, and forged ones.

use proptest::prelude::*;

use super::*;
use crate::auth::encrypt::Encryptor;
use crate::auth::kdf::CipherKeys;
use crate::auth::sign::Signer;
use crate::connection::agreed::Agreed;
use crate::connection::encryption::Encryption;
use crate::wire::fields::Put;
use crate::wire::header::{SIGNED, link};
use crate::wire::negotiate::{Cipher, SigningAlgorithm};
use crate::wire::transform::TRANSFORM_BYTES;

const SESSION: u64 = 77;

/// A response.
fn response(command: Command, status: Status, flags: u32, message: u64, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.put(b"\xFESMB\x40\0\0\0");
    out.put_u32(status.0);
    out.put_u16(command as u16);
    out.put_u16(3); // credits
    out.put_u32(1 | flags);
    out.put_u32(0);
    out.put_u64(message);
    out.put_u64(0);
    out.put_u64(SESSION);
    out.put_zeros(16);
    out.put(body);
    out
}

fn echo(flags: u32) -> Vec<u8> {
    response(Command::Echo, Status::SUCCESS, flags, 7, &[4, 0, 0, 0])
}

/// The response of a server that has forgotten the session.
fn deleted(flags: u32) -> Vec<u8> {
    let status = Status::USER_SESSION_DELETED;
    response(Command::Echo, status, flags, 7, &[9, 0, 0, 0, 0, 0, 0, 0])
}

/// One frame.
fn frame(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes()[..], message].concat()
}

fn chain(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = out.len();
        out.put(message);
        if index + 1 < messages.len() {
            link(&mut out, at);
        }
    }
    out
}

fn state() -> State {
    State {
        session: SESSION,
        ..State::new(Agreed::nothing([0; 16]))
    }
}

const KEYS: [CipherKeys; 2] = [
    CipherKeys {
        sent: [1; 16],
        received: [2; 16],
    },
    // The server's: what the client receives is what it sends.
    CipherKeys {
        sent: [2; 16],
        received: [1; 16],
    },
];

/// A message encrypted by a server with the right keys.
fn sealed(session: u64, message: &[u8]) -> Vec<u8> {
    let mut framed = [&[0; TRANSFORM_BYTES], message].concat();
    Encryptor::new(Cipher::Aes128Gcm, &KEYS[1]).seal(session, &mut framed);
    frame(&framed)
}

fn encrypting() -> State {
    let mut state = state();
    state.encryption = Encryption::ready(Cipher::Aes128Gcm, KEYS[0]);
    assert!(state.encryption.begin());
    state
}

/// Judges while these requests wait, numbered from 7. Returns the bytes used, and the answers.
fn judge_all(
    state: &mut State,
    commands: &[Command],
    received: &mut [u8],
) -> Result<(usize, Vec<(usize, Status)>), Fault> {
    let asks: Vec<_> = commands.iter().map(|it| Ask::new(*it, 1)).collect();
    let sent = Sent {
        message: 7,
        is_encrypted: state.encryption.covers(1),
    };
    let mut answers = Vec::new();
    let mut accept = |index, head: &Response, _: &[u8]| answers.push((index, head.status));
    let mut awaited = Awaited::new(&asks, sent);
    let used = state.judge_frames(received, &mut awaited, &mut accept)?;
    assert_eq!(awaited.is_over(), answers.len() == commands.len());
    Ok((used, answers))
}

fn judge(state: &mut State, received: &mut [u8]) -> Result<(usize, Option<Status>), Fault> {
    judge_all(state, &[Command::Echo], received)
        .map(|(used, answers)| (used, answers.first().map(|(_, status)| *status)))
}

fn assert_malformed(state: &mut State, mut received: Vec<u8>, part: &str) {
    let fault = judge(state, &mut received).unwrap_err();
    assert!(fault.message.contains(part), "{fault}");
    assert!(fault.ends_session);
}

#[test]
fn interim_answers_and_breaks_may_precede_the_answer() {
    let mut state = state();
    state.kept = vec![[5; 16]];
    let mut notice = vec![24, 0, 1, 0, 0, 0, 0, 0];
    notice.extend([5; 16]);
    let interim = response(Command::Echo, Status::PENDING, 2, 7, &[9, 0]);
    let breaks = response(Command::OplockBreak, Status::SUCCESS, 0, UNASKED, &notice);
    let all = [interim, breaks, echo(0), echo(0)];
    let mut received = all.map(|message| frame(&message)).concat();
    let (used, status) = judge(&mut state, &mut received).unwrap();
    assert_eq!(status, Some(Status::SUCCESS));
    assert_eq!(received.len() - used, FRAME_BYTES + HEADER_BYTES + 4);
    assert_eq!(state.credits, 1 + 3 + 3);
    let file = [5; 16];
    assert_eq!(state.breaks, [Break::Oplock { file, level: 1 }]);
    assert!(state.kept.is_empty());
}

#[test]
fn a_break_waits_until_a_credit_pays_for_its_acknowledgement() {
    let mut state = state();
    state.kept = vec![[5; 16]];
    state.credits = 0; // the request under way took them all
    let mut notice = vec![24, 0, 1, 0, 0, 0, 0, 0];
    notice.extend([5; 16]);
    let breaks = response(Command::OplockBreak, Status::SUCCESS, 0, UNASKED, &notice);
    assert_eq!(judge(&mut state, &mut frame(&breaks)).unwrap().1, None);
    assert_eq!(state.take_break(), None);
    judge(&mut state, &mut frame(&echo(0))).unwrap();
    let file = [5; 16];
    assert_eq!(state.take_break(), Some(Break::Oplock { file, level: 1 }));
    assert_eq!(state.take_break(), None);
}

#[test]
fn unsigned_answers_are_refused_in_a_signed_session() {
    let mut state = state();
    let (unsigned, forged) = (frame(&echo(0)), frame(&echo(SIGNED)));
    state.signer = Some(Signer::new(SigningAlgorithm::AesGmac, &[1; 16]));
    assert!(judge(&mut state, &mut unsigned.clone()).is_ok());
    assert_malformed(&mut state, forged, "signature of the answer is wrong");
    state.is_signing = true;
    assert_malformed(&mut state, unsigned, "not signed");
    // A server that has forgotten the session has forgotten its keys, whatever it says.
    for flags in [0, SIGNED] {
        let (_, status) = judge(&mut state, &mut frame(&deleted(flags))).unwrap();
        assert_eq!(status, Some(Status::USER_SESSION_DELETED));
    }
}

#[test]
fn plain_and_foreign_answers_are_refused_in_an_encrypted_session() {
    let mut state = encrypting();
    let whole = sealed(SESSION, &echo(0));
    let (used, status) = judge(&mut state, &mut whole.clone()).unwrap();
    assert_eq!((used, status), (whole.len(), Some(Status::SUCCESS)));
    assert_malformed(&mut state, frame(&echo(0)), "the answer is not encrypted");
    let foreign = sealed(SESSION + 1, &echo(0));
    assert_malformed(&mut state, foreign, "belongs to another session");
    let mut inside = echo(0);
    inside[40] ^= 1;
    let inside = sealed(SESSION, &inside);
    assert_malformed(&mut state, inside, "names another session");
    for at in [FRAME_BYTES + 4, FRAME_BYTES + 20, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert_malformed(&mut state, changed, "its tag is wrong");
    }
    let mut longer = sealed(SESSION, &echo(0));
    longer[FRAME_BYTES + 36] += 1;
    assert_malformed(&mut state, longer, "another form");
    assert_malformed(&mut self::state(), whole, "though nothing is encrypted");
    let (_, status) = judge(&mut state, &mut frame(&deleted(0))).unwrap();
    assert_eq!(status, Some(Status::USER_SESSION_DELETED));
}

#[test]
fn related_answers_may_arrive_together_or_apart_in_any_order() {
    const COMMANDS: [Command; 3] = [Command::Create, Command::QueryInfo, Command::Close];
    let answer = |index: usize| {
        let body = vec![9; 5 + index];
        let message = 7 + index as u64;
        response(COMMANDS[index], Status(index as u32), 4, message, &body)
    };
    let interim = response(Command::Create, Status::PENDING, 2, 7, &[9, 0]);
    let notice = response(Command::OplockBreak, Status::SUCCESS, 0, UNASKED, &{
        let mut notice = vec![44, 0, 0, 0, 0, 0, 0, 0];
        notice.resize(44, 0);
        notice
    });
    let together = frame(&chain(&[answer(0), answer(1), answer(2)]));
    let apart = [0, 1, 2].map(|index| frame(&answer(index))).concat();
    let mixed = [
        frame(&interim),
        frame(&chain(&[answer(2), notice, answer(0)])),
        frame(&answer(1)),
    ]
    .concat();
    let sealed = sealed(SESSION, &chain(&[answer(0), answer(1), answer(2)]));
    for (mut received, mut state) in [
        (together, state()),
        (apart, state()),
        (mixed, state()),
        (sealed, encrypting()),
    ] {
        let (used, mut answers) = judge_all(&mut state, &COMMANDS, &mut received).unwrap();
        assert_eq!(used, received.len());
        answers.sort_unstable_by_key(|(index, _)| *index);
        assert_eq!(
            answers,
            [0, 1, 2].map(|index| (index, Status(index as u32)))
        );
    }
    for wrong in [
        chain(&[answer(0), answer(0)]),
        chain(&[answer(0), echo(0)]),
        {
            let mut misaligned = chain(&[answer(0), answer(1)]);
            misaligned[20] += 1;
            misaligned
        },
        {
            let mut past = chain(&[answer(0), answer(1)]);
            past[20] += 8;
            past
        },
    ] {
        let fault = judge_all(&mut state(), &COMMANDS, &mut frame(&wrong)).unwrap_err();
        assert_eq!(fault.kind, headcount_load::FaultKind::Malformed, "{fault}");
    }
}

proptest! {
    #[test]
    fn random_messages_never_panic(
        mut message in prop::collection::vec(any::<u8>(), 0..400),
        start in 0..3,
        next in prop::sample::select(vec![0u8, 1, 8, 64, 72, 80, 128, 255]),
        is_sealed: bool,
    ) {
        if start > 0 && message.len() > 180 {
            message[..24].copy_from_slice(&echo(0)[..24]);
            message[20] = next;
            message[24..32].copy_from_slice(&7u64.to_le_bytes());
        }
        if start > 1 && next >= 64 && message.len() > usize::from(next) + 64 {
            message.copy_within(..32, usize::from(next));
        }
        let mut received = if is_sealed {
            sealed(SESSION, &message)
        } else {
            frame(&message)
        };
        let _ = judge(&mut encrypting(), &mut received.clone());
        let _ = judge(&mut state(), &mut received);
        let _ = judge(&mut state(), &mut message);
    }
}
