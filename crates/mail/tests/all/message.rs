//! Messages: what they look like, that every offset gives the same bytes, and how they compress.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibEncoder;
use headcount_mail::message::table::{
    DOMINO, LOADSIM_HEAVY, LOADSIM_LIGHT, LOADSIM_MEDIUM, MMB_1998, mean_bytes,
};
use headcount_mail::message::{Body, Kind, Message, Part, Stamp};
use proptest::collection::vec;
use proptest::prelude::*;

const STAMP: Stamp = Stamp {
    run: 0x0123_4567_89ab_cdef,
    sender: 17,
    sequence: 4,
    sent_unix_us: 1_763_761_234_567_890,
};

const FROM: &str = "u00017@test.invalid";
const TO: &[&str] = &["u00001@test.invalid", "u00002@test.invalid"];

fn message(parts: &[Part]) -> Message {
    Message::new(STAMP, FROM, TO, "Figures of the week", parts)
}

fn whole(body: &impl Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < body.len() {
        let before = bytes.len();
        body.write_piece(before as u64, &mut bytes);
        assert!(bytes.len() > before);
    }
    bytes
}

fn text(parts: &[Part]) -> String {
    String::from_utf8(whole(&message(parts))).unwrap()
}

fn below(text: &str) -> &str {
    text.split_once("\r\n\r\n").unwrap().1
}

#[test]
fn a_text_message_has_the_expected_header() {
    let text = text(&[Part::text(1024)]);
    let (header, body) = text.split_once("\r\n\r\n").unwrap();
    let expected = "Date: Fri, 21 Nov 2025 21:40:34 +0000\r\n\
        From: u00017@test.invalid\r\n\
        To: u00001@test.invalid,\r\n u00002@test.invalid\r\n\
        Subject: Figures of the week\r\n\
        Message-ID: <0123456789abcdef.17.4@headcount.invalid>\r\n\
        MIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=us-ascii\r\n\
        X-Headcount: 1 run=0123456789abcdef sender=17 sequence=4\r\n \
        sent=1763761234567890 parts=t1024\r\n bytes=1024 header=";
    assert!(header.starts_with(expected), "{header}");
    assert_eq!(body.len(), 1024);
}

#[test]
fn messages_with_other_stamps_have_other_words() {
    let body = |stamp| {
        let message = Message::new(stamp, FROM, TO, "", &[Part::text(4096)]);
        below(&String::from_utf8(whole(&message)).unwrap()).to_owned()
    };
    let first = body(STAMP);
    for other in [
        Stamp { run: 1, ..STAMP },
        Stamp {
            sender: 18,
            ..STAMP
        },
        Stamp {
            sequence: 5,
            ..STAMP
        },
    ] {
        let other = body(other);
        let same = first.lines().zip(other.lines()).filter(|(a, b)| a == b);
        assert_eq!(same.count(), 0);
    }
    let later = Stamp {
        sent_unix_us: 0,
        ..STAMP
    };
    assert_eq!(body(later), first);
}

#[test]
fn contents_do_not_change_from_one_version_to_the_next() {
    // A change here would make messages from older versions look damaged.
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
    let mut parts = vec![Part::text(200)];
    parts.extend(kinds.map(|kind| Part::new(kind, 1000)));
    assert_eq!(crc32fast::hash(text(&parts).as_bytes()), CHECKSUM);
}
const CHECKSUM: u32 = 2_727_296_896;

#[test]
fn attachments_have_the_requested_size() {
    for (kind, mark) in [
        (Kind::TextFile, "notes.txt"),
        (Kind::Spreadsheet, "figures.xls"),
        (Kind::Document, "report.doc"),
        (Kind::Bitmap, "picture.bmp"),
        (Kind::Archive, "archive.zip"),
    ] {
        for bytes in [0, 1, 2, 3, 56, 57, 58, 10_240] {
            let text = text(&[Part::text(100), Part::new(kind, bytes)]);
            let (_, attached) = text.split_once(&format!("filename=\"{mark}\"")).unwrap();
            let (_, encoded) = attached.split_once("\r\n\r\n").unwrap();
            let (encoded, _) = encoded.split_once("\r\n--").unwrap();
            assert!(encoded.lines().all(|line| line.len() <= 76));
            let decoded = STANDARD.decode(encoded.replace("\r\n", "")).unwrap();
            assert_eq!(decoded.len(), bytes as usize, "{mark}");
        }
    }
}

#[test]
fn parts_are_separated_by_the_boundary() {
    let parts = [Part::text(1024), Part::new(Kind::TextFile, 10_240)];
    let text = text(&parts);
    let (_, rest) = text.split_once("boundary=\"").unwrap();
    let boundary = rest.split_once('"').unwrap().0;
    let delimiter = format!("\r\n--{boundary}");
    let pieces: Vec<&str> = text.split(&delimiter).collect();
    assert_eq!(pieces.len(), 4, "{text}");
    assert_eq!(below(pieces[1]).len(), 1024);
    assert_eq!(pieces[3], "--\r\n");
    // A file alone gets a text.
    assert!(self::text(&parts[1..]).contains("multipart/mixed"));
}

#[test]
fn invitations_and_answers_name_the_participants() {
    let long = "somebody.with.a.name.that.is.longer.than.others.of.the.office@test.invalid";
    let calendar = |kind| {
        let message = Message::new(STAMP, FROM, &[long], "Meeting", &[Part::new(kind, 0)]);
        let text = String::from_utf8(whole(&message)).unwrap();
        assert!(below(&text).lines().all(|line| line.len() <= 75), "{text}");
        text.replace("\r\n ", "")
    };
    let invitation = calendar(Kind::Invitation);
    assert!(invitation.contains("Content-Type: text/calendar; charset=us-ascii; method=REQUEST"));
    assert!(invitation.contains(&format!("\r\nORGANIZER:mailto:{FROM}\r\n")));
    assert!(invitation.contains(&format!("RSVP=TRUE:mailto:{long}\r\n")));
    assert!(invitation.contains("\r\nDTSTAMP:20251121T214034Z\r\n"));
    let answer = calendar(Kind::Answer);
    assert!(answer.contains("\r\nMETHOD:REPLY\r\n"));
    assert!(answer.contains(&format!("\r\nORGANIZER:mailto:{long}\r\n")));
    assert!(answer.contains(&format!("PARTSTAT=ACCEPTED:mailto:{FROM}\r\n")));
}

#[test]
fn subjects_and_addresses_cannot_inject_fields() {
    let message = Message::new(STAMP, "a\r\nBcc: b", &["c\nd"], "e\r\n\r\nf \u{e4}", &[]);
    let text = String::from_utf8(whole(&message)).unwrap();
    assert!(
        text.contains("From: a??Bcc: b\r\nTo: c?d\r\nSubject: e????f ?\r\n"),
        "{text}"
    );
}

/// The compression ratio of `bytes` with zlib.
fn ratio(bytes: &[u8]) -> f64 {
    let mut packed = Vec::new();
    ZlibEncoder::new(bytes, Compression::default())
        .read_to_end(&mut packed)
        .unwrap();
    bytes.len() as f64 / packed.len() as f64
}

#[test]
fn contents_compress_as_documented() {
    // The figures in docs/smtp.md, within 6%: versions of zlib differ a little.
    for (kind, bytes, expected, sent) in [
        (Kind::Text, 1024, 2.0, 2.0),
        (Kind::Text, 4096, 2.5, 2.5),
        (Kind::Text, 50_000, 3.2, 3.2),
        (Kind::TextFile, 50_000, 3.4, 3.7),
        (Kind::Spreadsheet, 50_000, 3.7, 3.5),
        (Kind::Document, 50_000, 3.0, 3.3),
        (Kind::Bitmap, 50_000, 6.9, 6.9),
        (Kind::Archive, 50_000, 1.0, 1.31),
    ] {
        let (found, found_sent) = if kind == Kind::Text {
            let ratio = ratio(below(&text(&[Part::text(bytes)])).as_bytes());
            (ratio, ratio)
        } else {
            let text = text(&[Part::text(2), Part::new(kind, bytes)]);
            let encoded = below(text.split_once("filename=").unwrap().1);
            let encoded = encoded.split_once("\r\n--").unwrap().0;
            let file = STANDARD.decode(encoded.replace("\r\n", "")).unwrap();
            (ratio(&file), ratio(encoded.as_bytes()))
        };
        let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.06;
        assert!(is_near(found, expected), "{kind:?} of {bytes}: {found}");
        assert!(
            is_near(found_sent, sent),
            "{kind:?} of {bytes} as sent: {found_sent}"
        );
    }
}

#[test]
fn mean_sizes_match_the_sources() {
    for (rows, kib) in [
        (LOADSIM_LIGHT, 2.0),
        (LOADSIM_MEDIUM, 2.2),
        (LOADSIM_HEAVY, 2.5),
        (MMB_1998, 4.1),
    ] {
        assert!((mean_bytes(rows) / 1024.0 - kib).abs() < 0.05);
    }
    assert!((mean_bytes(DOMINO) - 97_305.0).abs() < 0.5);
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let kind = prop_oneof![
        Just(Kind::Text),
        Just(Kind::TextFile),
        Just(Kind::Spreadsheet),
        Just(Kind::Document),
        Just(Kind::Bitmap),
        Just(Kind::Archive),
        Just(Kind::Invitation),
        Just(Kind::Answer),
    ];
    vec(
        (kind, 0_u32..40_000).prop_map(|(kind, bytes)| Part::new(kind, bytes)),
        1..5,
    )
}

proptest! {
    #[test]
    fn every_offset_gives_the_same_bytes(parts in parts(), places in vec(any::<u64>(), 20)) {
        let message = message(&parts);
        let all = whole(&message);
        prop_assert_eq!(all.len() as u64, message.len());
        for place in places {
            let at = place % (message.len() + 1);
            let mut piece = vec![b'#'];
            message.write_piece(at, &mut piece);
            prop_assert_eq!(&piece[1..], &all[at as usize..(at as usize + 16_384).min(all.len())]);
        }
    }

    #[test]
    fn lines_need_no_change_in_transit(parts in parts(), text_bytes in 0_u32..600) {
        let mut parts = parts;
        parts.insert(0, Part::text(text_bytes));
        let text = text(&parts);
        prop_assert!(text.ends_with("\r\n"));
        for line in text.split("\r\n") {
            prop_assert!(line.len() <= 76);
            prop_assert!(line.bytes().all(|byte| (0x20..0x7f).contains(&byte)));
            prop_assert!(!line.starts_with('.') && !line.starts_with("From "));
            prop_assert!(!line.ends_with(' '));
        }
    }
}
