//! What arrives on a connection of SMB: frames, compounds, signatures, encryption, notifications.

use headcount_load::Fault;
use headcount_smb::auth::encrypt::Encryptor;
use headcount_smb::auth::kdf::{CipherKeys, Preauth};
use headcount_smb::auth::sign::Signer;
use headcount_smb::connection::encryption::Encryption;
use headcount_smb::connection::judge::Awaited;
use headcount_smb::connection::{Agreed, Ask, Sent, State};
use headcount_smb::wire::header::{Command, Response};
use headcount_smb::wire::negotiate::{Cipher, SigningAlgorithm};
use headcount_smb::wire::transform::TRANSFORM_BYTES;

use crate::input::Input;
use crate::smb::parse_all;

const SESSION: u64 = 77;
/// The number of the first request that waits for an answer.
const FIRST: u64 = 7;
const KEY: [u8; 16] = [5; 16];

/// Everything is encrypted.
const ENCRYPTS: u8 = 0;
/// With CCM instead of GCM.
const CCM: u8 = 1;
/// Answers must be signed.
const SIGNS: u8 = 2;
/// The message is cut into frames: each of its length, little-endian in two bytes, and its contents,
/// which the server's side signs and encrypts. Otherwise it is what arrives.
const FRAMES: u8 = 3;
/// The negotiation is hashed.
const HASHES: u8 = 6;
/// An oplock is held.
const HOLDS: u8 = 7;

/// Judges what arrives while one to four requests wait: the answers are the same however it is cut.
pub fn frames(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let framed = if input.is_on(FRAMES) {
        in_frames(&input)
    } else {
        input.message.to_vec()
    };
    let stream = input.with(&framed);
    let whole = judge(&stream, stream.whole());
    let pieces = judge(&stream, stream.pieces());
    assert_eq!(whole, pieces, "pieces make no difference");
}

/// What came of it: the answers, and whether the connection had to be closed before all had come.
type Judged = (Vec<(usize, Response)>, bool);

fn judge<'a>(input: &Input<'_>, pieces: impl Iterator<Item = &'a [u8]>) -> Judged {
    let mut state = state(input);
    let commands = [
        Command::Create,
        Command::QueryInfo,
        Command::QueryDirectory,
        Command::Close,
    ];
    let asks = commands.map(|command| Ask::new(command, 1));
    let asks = &asks[..=usize::from(input.mode >> 4 & 3)];
    let sent = Sent {
        message: FIRST,
        is_encrypted: input.is_on(ENCRYPTS),
    };
    let mut awaited = Awaited::new(asks, sent);
    let mut answers = Vec::new();
    let mut accept = |index, head: &Response, body: &[u8]| {
        parse_all(body);
        answers.push((index, *head));
    };
    let mut failed = None;
    for piece in pieces {
        let judged = take(&mut state, piece, &mut awaited, &mut accept);
        if judged.is_err() || awaited.is_over() {
            failed = judged.err();
            break;
        }
    }
    let is_closed = failed.is_some() && !awaited.is_over();
    (answers, is_closed)
}

/// As the connection does with what a read brings.
fn take(
    state: &mut State,
    piece: &[u8],
    awaited: &mut Awaited<'_>,
    accept: &mut dyn FnMut(usize, &Response, &[u8]),
) -> Result<(), Fault> {
    state.judge_arrived(&mut piece.to_vec(), awaited, accept)?;
    while let Some(taken) = state.take_break() {
        taken.encode_acknowledgement(&mut Vec::new());
    }
    if awaited.is_over() {
        return Ok(());
    }
    state.judge_kept(awaited, accept)?;
    while let Some(taken) = state.take_break() {
        taken.encode_acknowledgement(&mut Vec::new());
    }
    Ok(())
}

fn cipher(input: &Input<'_>) -> Cipher {
    if input.is_on(CCM) {
        Cipher::Aes128Ccm
    } else {
        Cipher::Aes128Gcm
    }
}

fn state(input: &Input<'_>) -> State {
    let mut state = State::new(Agreed::nothing([0; 16]));
    state.session = SESSION;
    state.tree = 1;
    if input.is_on(ENCRYPTS) {
        let keys = CipherKeys {
            sent: [1; 16],
            received: [2; 16],
        };
        state.encryption = Encryption::ready(cipher(input), keys);
        assert!(state.encryption.begin(), "there are keys");
    }
    if input.is_on(SIGNS) {
        state.signer = Some(Signer::new(SigningAlgorithm::HmacSha256, &KEY));
        state.is_signing = true;
    }
    if input.is_on(HASHES) {
        state.hashing = Some(Preauth::START);
    }
    if input.is_on(HOLDS) {
        state.kept = vec![[9; 16], [0; 16]];
    }
    state
}

/// What a server with the right keys makes of these messages.
fn in_frames(input: &Input<'_>) -> Vec<u8> {
    let keys = CipherKeys {
        sent: [2; 16],
        received: [1; 16],
    };
    let mut encryptor = Encryptor::new(cipher(input), &keys);
    let signer = Signer::new(SigningAlgorithm::HmacSha256, &KEY);
    let (mut out, mut rest) = (Vec::new(), input.message);
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (contents, after) = after.split_at(length);
        rest = after;
        let mut message = contents.to_vec();
        if input.is_on(SIGNS) {
            signer.sign(&mut message);
        }
        if input.is_on(ENCRYPTS) {
            message = [&[0; TRANSFORM_BYTES], &message[..]].concat();
            encryptor.seal(SESSION, &mut message);
        }
        out.extend((message.len() as u32).to_be_bytes());
        out.extend(message);
    }
    out
}
