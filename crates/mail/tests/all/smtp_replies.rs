//! Replies are parsed whatever pieces they arrive in, and random bytes never panic.

use std::fmt::Write;

use headcount_mail::smtp::Replies;
use proptest::collection::vec;
use proptest::prelude::*;

fn all(pieces: &[&[u8]]) -> (Vec<(u16, String)>, bool) {
    let mut replies = Replies::new();
    let is_well = pieces.iter().all(|piece| replies.take(piece).is_ok());
    let found = std::iter::from_fn(|| replies.pop());
    (
        found.map(|reply| (reply.code, reply.text.into())).collect(),
        is_well,
    )
}

proptest! {
    #[test]
    fn replies_are_the_same_however_they_are_cut(
        replies in vec((200_u16..600, vec("[ -~]{0,30}", 1..4)), 0..6), cuts in vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut text = String::new();
        for (code, lines) in &replies {
            for (index, line) in lines.iter().enumerate() {
                let mark = if index + 1 == lines.len() { ' ' } else { '-' };
                let _ = write!(text, "{code}{mark}{line}\r\n");
            }
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
        let expected: Vec<_> = replies.into_iter().map(|(code, lines)| (code, lines.join("\n"))).collect();
        prop_assert_eq!(all(&pieces), (expected, true));
    }

    #[test]
    fn no_bytes_upset_the_parser(pieces in vec(vec(any::<u8>(), 0..60), 0..10), mostly in vec("[2-5 \r\n-]{0,20}", 0..10)) {
        let odd: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let near: Vec<&[u8]> = mostly.iter().map(String::as_bytes).collect();
        for pieces in [odd, near] {
            let whole = pieces.concat();
            prop_assert_eq!(all(&pieces).1, all(&[&whole]).1);
        }
    }
}

#[test]
fn enhanced_codes_are_read_only_if_valid() {
    for (line, expected) in [
        ("550 5.1.1 no", Some((5, 1, 1))),
        ("250 2.0.0", Some((2, 0, 0))),
        ("250 4.0.0 odd", None),
        ("250 ok", None),
        ("250 2.0 ok", None),
        ("250 2.0.0.1 ok", None),
        ("250 2.1234.0 ok", None),
    ] {
        let mut replies = Replies::new();
        replies
            .take(format!("{line}\r\n").as_bytes())
            .expect("a reply");
        assert_eq!(
            replies.pop().expect("a reply").enhanced(),
            expected,
            "{line}"
        );
    }
    let mut replies = Replies::new();
    replies
        .take(format!("550 \x1b[31m{}\r\n", "x".repeat(500)).as_bytes())
        .expect("a reply");
    let shown = replies.pop().expect("a reply").to_string();
    assert!(shown.starts_with("550 \\u{1b}[31mxxx") && shown.len() < 230 && shown.ends_with("..."));
}
