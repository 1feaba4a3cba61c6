//! The checker finds alterations, and accepts what servers add.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::Arc;

use headcount_mail::message::{
    Added, Body, Checked, Checker, Footer, Kind, Marks, Message, Part, Place, Section, Stamp,
    Verdict,
};
use proptest::collection::vec;
use proptest::prelude::*;

const RUN: u64 = 0xfeed_0000_0000_0007;

fn message(sequence: u32, parts: &[Part]) -> Vec<u8> {
    let stamp = Stamp {
        run: RUN,
        sender: 5,
        sequence,
        sent_unix_us: 1_763_761_234_000_000 + u64::from(sequence),
    };
    let to = ["u2@test.invalid", "u3@test.invalid"];
    let message = Message::new(stamp, "u5@test.invalid", &to, "Re: figures", parts);
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < message.len() {
        let at = bytes.len() as u64;
        message.write_piece(at, &mut bytes);
    }
    bytes
}

fn check(bytes: &[u8], piece_bytes: usize) -> Checked {
    let mut checker = Checker::new(RUN, Section::Text);
    for piece in bytes.chunks(piece_bytes) {
        checker.whole(piece);
    }
    checker.finish()
}

fn verdict(bytes: &[u8]) -> Verdict {
    check(bytes, 4096).verdict
}

fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap()
        + 4;
    bytes.split_at(end)
}

const OFFICE: &[Part] = &[
    Part::text(1024),
    Part::new(Kind::Document, 2000),
    Part::new(Kind::Invitation, 0),
];

#[test]
fn a_message_is_intact_and_says_who_sent_it() {
    let bytes = message(9, OFFICE);
    for piece_bytes in [1, 7, 100, 100_000] {
        let checked = check(&bytes, piece_bytes);
        assert_eq!(checked.verdict, Verdict::Intact);
        let stamp = checked.stamp.unwrap();
        assert_eq!((stamp.sender, stamp.sequence), (5, 9));
        assert_eq!(stamp.sent_unix_us, 1_763_761_234_000_009);
    }
    let large = message(9, &[Part::text(1_000_000)]);
    assert_eq!(check(&large, large.len()).verdict, Verdict::Intact);
}

#[test]
fn every_flipped_bit_of_every_byte_is_found() {
    let sent = message(3, OFFICE);
    let below = split(&sent).0.len();
    for at in 0..sent.len() {
        for bit in 0..8 {
            let mut bytes = sent.clone();
            bytes[at] ^= 1 << bit;
            let found = verdict(&bytes);
            assert!(
                matches!(found, Verdict::Altered { .. }),
                "bit {bit} of byte {at}: {found:?}"
            );
            if at >= below {
                let place = Place::Body((at - below) as u64);
                assert_eq!(found, Verdict::Altered { at: place });
            }
        }
    }
}

#[test]
fn every_truncation_is_found() {
    let sent = message(3, OFFICE);
    for end in 1..sent.len() {
        assert_ne!(verdict(&sent[..end]), Verdict::Intact, "{end}");
    }
    let mut longer = sent.clone();
    longer.extend_from_slice(b"\r\n");
    let end = Place::Body(split(&sent).1.len() as u64);
    assert_eq!(verdict(&longer), Verdict::Altered { at: end });
}

#[test]
fn fields_added_by_servers_are_accepted() {
    let sent = message(1, OFFICE);
    let (header, below) = split(&sent);
    let above = "Return-Path: <u5@test.invalid>\r\nDelivered-To: u2@test.invalid\r\n\
        Received: from a.invalid\r\n\tby b.invalid with LMTP id 1\r\n\tfor <u2@test.invalid>\r\n";
    let last = "X-Spam-Status: No\r\n\r\n";
    let bytes = [
        above.as_bytes(),
        &header[..header.len() - 2],
        last.as_bytes(),
        below,
    ]
    .concat();
    assert_eq!(verdict(&bytes), Verdict::Intact);
}

#[test]
fn mixed_up_messages_are_found() {
    let (one, other) = (
        message(1, &[Part::text(1024)]),
        message(2, &[Part::text(1024)]),
    );
    let mixed = [split(&one).0, split(&other).1].concat();
    assert_eq!(verdict(&mixed), Verdict::Altered { at: Place::Body(0) });
    // Fields of another message of the same shape.
    let (mine, theirs) = (
        String::from_utf8(one).unwrap(),
        String::from_utf8(other).unwrap(),
    );
    let id_line = |text: &str| {
        text.lines()
            .find(|line| line.starts_with("Message-ID"))
            .unwrap()
            .to_owned()
    };
    let mixed = mine.replace(&id_line(&mine), &id_line(&theirs));
    assert_eq!(
        verdict(mixed.as_bytes()),
        Verdict::Altered { at: Place::Header }
    );
}

#[test]
fn messages_of_other_runs_are_foreign() {
    assert_eq!(
        verdict(b"Subject: hello\r\n\r\nhello\r\n"),
        Verdict::Foreign
    );
    assert_eq!(verdict(b""), Verdict::Foreign);
    let mut other = Checker::new(RUN + 1, Section::Text);
    other.whole(&message(1, OFFICE));
    let checked = other.finish();
    assert_eq!(checked.verdict, Verdict::Foreign);
    assert_eq!(checked.stamp.map(|stamp| stamp.run), Some(RUN));
}

#[test]
fn sections_are_checked_alone() {
    let sent = message(1, OFFICE);
    let (header, below) = split(&sent);
    let text = String::from_utf8(below.to_vec()).unwrap();
    let document = text.split("filename=\"report.doc\"").nth(1).unwrap();
    let document = &document[document.find("\r\n\r\n").unwrap() + 4..];
    let document = &document[..document.find("\r\n--").unwrap()];
    let check = |section, bytes: &[u8]| {
        let mut checker = Checker::new(RUN, section);
        checker.header(header);
        checker.body(bytes);
        checker.finish().verdict
    };
    assert_eq!(check(Section::Header, b""), Verdict::Intact);
    assert_eq!(check(Section::Text, below), Verdict::Intact);
    let document = document.as_bytes();
    assert_eq!(check(Section::Part(2), document), Verdict::Intact);
    assert_eq!(
        check(Section::Part(2), &document[..100]),
        Verdict::Altered {
            at: Place::Body(100)
        }
    );
    assert_eq!(
        check(Section::Part(2), &document[1..]),
        Verdict::Altered { at: Place::Body(0) }
    );
    assert_eq!(
        check(Section::Part(9), b"x"),
        Verdict::Altered { at: Place::Body(0) }
    );
}

proptest! {
    #[test]
    fn damage_of_any_size_is_found(
        parts in vec(prop_oneof![
            (2_u32..6000).prop_map(Part::text),
            (0_u32..6000).prop_map(|bytes| Part::new(Kind::Bitmap, bytes)),
        ], 1..4),
        at in any::<prop::sample::Index>(), damage in vec(any::<u8>(), 1..40), piece_bytes in 1_usize..5000,
    ) {
        let sent = message(1, &parts);
        prop_assert_eq!(check(&sent, piece_bytes).verdict, Verdict::Intact);
        let mut bytes = sent.clone();
        let at = at.index(bytes.len());
        let end = bytes.len().min(at + damage.len());
        bytes.splice(at..end, damage);
        prop_assume!(bytes != sent);
        prop_assert_ne!(check(&bytes, piece_bytes).verdict, Verdict::Intact);
    }

    #[test]
    fn random_bytes_are_never_intact(bytes in vec(any::<u8>(), 0..2000), head in any::<bool>()) {
        let mut all = if head { b"X-Headcount: 1 run=".to_vec() } else { Vec::new() };
        all.extend(bytes);
        prop_assert_ne!(verdict(&all), Verdict::Intact);
    }
}

#[test]
fn a_part_without_contents_is_intact_in_pieces_of_any_size() {
    let empty = Part::new(Kind::Bitmap, 0);
    for parts in [&[empty][..], &[Part::text(40), empty, Part::text(40)]] {
        let sent = message(1, parts);
        for piece_bytes in 1..sent.len() {
            let found = check(&sent, piece_bytes).verdict;
            assert_eq!(found, Verdict::Intact, "in pieces of {piece_bytes}");
        }
    }
}

/// The result of checking with these marks allowed.
fn check_marked(bytes: &[u8], section: Section, tag: &str, footer: Footer) -> Checked {
    let marks = Marks {
        subject_tag: tag.into(),
        footer,
    };
    let mut checker = Checker::allowing(RUN, section, Arc::new(marks));
    for piece in bytes.chunks(100) {
        checker.whole(piece);
    }
    checker.finish()
}

fn tagged(bytes: &[u8], tag: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.replace("Subject: ", &format!("Subject: {tag}"))
        .into_bytes()
}

#[test]
fn a_tag_is_altered_unless_it_is_allowed() {
    let sent = message(1, OFFICE);
    let check = |bytes: &[u8], tag| check_marked(bytes, Section::Text, tag, Footer::None);
    let bytes = tagged(&sent, "[EXTERNAL] ");
    let found = check(&bytes, "");
    assert_eq!(found.verdict, Verdict::Altered { at: Place::Header });
    let added = found.added.unwrap();
    assert_eq!(added, Added::Tag("[EXTERNAL]".into()));
    let hint = added.to_string();
    assert!(
        hint.contains("--client subject_tag=\"[EXTERNAL]\""),
        "{hint}"
    );
    for allowed in ["[EXTERNAL]", "[EXTERNAL] "] {
        assert_eq!(check(&bytes, allowed).verdict, Verdict::Intact);
        assert_eq!(check(&sent, allowed).verdict, Verdict::Intact);
    }
    assert_eq!(check(&bytes, "[SPAM]").added, Some(added));
    // A second tag is reported; with other damage, the tag is not the only alteration.
    let twice = check(&tagged(&bytes, "[EXTERNAL] "), "[EXTERNAL]");
    assert_eq!(
        twice.added,
        Some(Added::Tag("[EXTERNAL] [EXTERNAL]".into()))
    );
    let mut damaged = bytes;
    damaged[8] ^= 1;
    let found = check(&damaged, "[EXTERNAL]");
    assert_eq!(
        (found.verdict, found.added),
        (Verdict::Altered { at: Place::Header }, None)
    );
}

#[test]
fn a_footer_is_altered_unless_it_is_allowed() {
    let sent = message(1, &[Part::text(1024)]);
    let end = split(&sent).1.len() as u64;
    let footer = b"\r\nThis message comes from outside.\r\n";
    let bytes = [&sent[..], footer].concat();
    let check = |bytes: &[u8], footer| check_marked(bytes, Section::Text, "", footer);
    let found = check(&bytes, Footer::None);
    assert_eq!(
        found.verdict,
        Verdict::Altered {
            at: Place::Body(end)
        }
    );
    assert_eq!(found.added, Some(Added::Footer(footer.len() as u64)));
    let text = |text: &str| Footer::Text(text.into());
    for allowed in [Footer::Any, text("This message\ncomes from outside.")] {
        assert_eq!(check(&bytes, allowed.clone()).verdict, Verdict::Intact);
        assert_eq!(check(&sent, allowed.clone()).verdict, Verdict::Intact);
        // A changed letter before it, and a text that ends too soon, are still found.
        let mut damaged = bytes.clone();
        damaged[sent.len() - 10] ^= 1;
        let found = check(&damaged, allowed.clone());
        let at = Place::Body(end - 10);
        assert_eq!(
            (found.verdict, found.added),
            (Verdict::Altered { at }, None)
        );
        let short = check(&sent[..sent.len() - 1], allowed);
        assert!(matches!(short.verdict, Verdict::Altered { .. }));
    }
    let other = check(&bytes, text("Another footer."));
    assert_eq!(other.added, Some(Added::Footer(footer.len() as u64)));
    let endless = [&sent[..], &vec![b'x'; 70_000]].concat();
    assert!(matches!(
        check(&endless, Footer::Any).verdict,
        Verdict::Altered { .. }
    ));
}

#[test]
fn only_text_may_have_a_footer() {
    let sent = message(1, OFFICE);
    let (header, below) = split(&sent);
    let check = |section, bytes: &[u8]| {
        let marks = Marks {
            subject_tag: String::new(),
            footer: Footer::Any,
        };
        let mut checker = Checker::allowing(RUN, section, Arc::new(marks));
        checker.header(header);
        checker.body(bytes);
        checker.finish().verdict
    };
    let longer = [below, b"x"].concat();
    assert!(matches!(
        check(Section::Text, &longer),
        Verdict::Altered { .. }
    ));
    let text = String::from_utf8(below.to_vec()).unwrap();
    let part = text.split_once("\r\n\r\n").unwrap().1;
    let part = part.split("\r\n--").next().unwrap();
    let signed = format!("{part}\r\nfooter");
    assert_eq!(check(Section::Part(1), signed.as_bytes()), Verdict::Intact);
    assert!(matches!(
        check(Section::Part(2), b"x"),
        Verdict::Altered { .. }
    ));
}
