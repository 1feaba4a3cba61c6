//! Messages that come back from a mail server.

use headcount_mail::message::{
    Body, Checked, Checker, Kind, Message, Part, Section, Stamp, Verdict, mime,
};

use crate::input::Input;

const RUN: u64 = 0x1234_5678_9abc_def0;

/// A message of this run comes before the changes; otherwise the input is all that came.
const IS_OURS: u8 = 0;
/// Its header comes first, and then a section of it; otherwise all of it in one.
const IN_SECTIONS: u8 = 1;
/// The input says of what parts the message consists.
const IN_PARTS: u8 = 2;

/// Checks a message: the verdict is the same however it is cut, and one that was not changed is intact.
pub fn message(data: &[u8]) {
    let Some(input) = Input::new(data) else {
        return;
    };
    let mut bytes = input.message.to_vec();
    let mut is_changed = true;
    if input.is_on(IN_PARTS) {
        bytes = of_parts(input.message);
    } else if input.is_on(IS_OURS) {
        bytes = all(&ours());
        let intact = bytes.clone();
        for change in input.message.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
            bytes[at] = change[2];
        }
        is_changed = bytes != intact;
    }
    let sent = input.with(&bytes);
    if input.is_on(IN_SECTIONS) {
        in_sections(&sent);
        return;
    }
    let (whole, pieces) = (checked(sent.whole()), checked(sent.pieces()));
    assert_eq!(whole, pieces, "pieces make no difference");
    assert!(is_changed || whole.verdict == Verdict::Intact);
}

/// Reads what a message says to a person: at most three times what came, since a letter of
/// windows-1252 has up to three bytes in UTF-8.
pub fn text(data: &[u8]) {
    assert!(mime::text(data).len() <= 3 * data.len());
    let (head, body) = mime::split(data);
    assert!(head.len() + body.len() <= data.len());
    for (_, value) in mime::fields(head) {
        assert!(!value.contains("\r\n"));
    }
}

fn checked<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Checked {
    let mut checker = Checker::new(RUN, Section::Text);
    for piece in pieces {
        checker.whole(piece);
    }
    checker.finish()
}

/// Each section, after the header of the message.
fn in_sections(sent: &Input<'_>) {
    let end = sent.message.windows(4).position(|four| four == b"\r\n\r\n");
    let (header, body) = sent
        .message
        .split_at(end.map_or(sent.message.len(), |at| at + 4));
    let body = sent.with(body);
    for section in [
        Section::Header,
        Section::Text,
        Section::Part(1),
        Section::Part(u32::MAX),
    ] {
        let check = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let mut checker = Checker::new(RUN, section);
            checker.header(header);
            for piece in pieces {
                checker.body(piece);
            }
            checker.finish()
        };
        let (whole, pieces) = (check(&mut body.whole()), check(&mut body.pieces()));
        assert_eq!(whole, pieces, "pieces make no difference");
    }
}

const fn stamp() -> Stamp {
    Stamp {
        run: RUN,
        sender: 7,
        sequence: 9,
        sent_unix_us: 1_700_000_000_000_000,
    }
}

fn ours() -> Message {
    let parts = [
        Part::text(200),
        Part::new(Kind::Spreadsheet, 300),
        Part::new(Kind::Invitation, 0),
    ];
    let to = ["b@example.org", "c@example.org"];
    Message::new(stamp(), "a@example.org", &to, "Figures", &parts)
}

fn all(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < message.len() {
        message.write_piece(bytes.len() as u64, &mut bytes);
    }
    bytes
}

/// The header of a message of these parts, five bytes each, and the input as what is below it: a
/// server that knows how headers are made.
fn of_parts(bytes: &[u8]) -> Vec<u8> {
    let kinds = [
        Kind::Text,
        Kind::TextFile,
        Kind::Spreadsheet,
        Kind::Document,
        Kind::Bitmap,
        Kind::Archive,
        Kind::Invitation,
        Kind::Answer,
    ];
    let parts: Vec<_> = bytes
        .chunks_exact(5)
        .map(|part| {
            let size = u32::from_le_bytes([part[1], part[2], part[3], part[4]]);
            Part::new(kinds[usize::from(part[0] & 7)], size)
        })
        .collect();
    let message = Message::new(
        stamp(),
        "a@example.org",
        &["b@example.org"],
        "Parts",
        &parts,
    );
    let mut below = Vec::new();
    message.write_piece(message.header().len() as u64, &mut below);
    [message.header().as_bytes(), &below, bytes].concat()
}
