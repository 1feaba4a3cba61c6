//! Random and mutated answers: parsers answer, and never panic.

use std::collections::BTreeSet;

use headcount_mail::imap::wire::answer::{Answer, read};
use headcount_mail::imap::wire::reader::{Event, Reader};
use headcount_mail::imap::wire::{cursor, fetch, found};
use proptest::prelude::*;

/// Passes bytes to the parsers in pieces: each must return a result or an error.
fn take(bytes: &[u8], cuts: &BTreeSet<usize>) -> Result<(), String> {
    let mut reader = Reader::default();
    let mut start = 0;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        let end = cut.clamp(start, bytes.len());
        reader.take(&bytes[start..end], &mut |event| {
            match event {
                Event::Piece {
                    text,
                    at,
                    of,
                    bytes,
                } => {
                    assert!(at + bytes.len() as u64 <= of);
                    fetch::read(text, &mut |_, _, _| {})?;
                }
                Event::Answer(text) => match read(text)? {
                    Answer::Fetch(_) => {
                        fetch::read(text, &mut |_, _, _| {})?;
                    }
                    Answer::Search(numbers) => found::read_search(numbers, &mut Vec::new())?,
                    Answer::Esearch(numbers) => found::read_esearch(numbers, &mut Vec::new())?,
                    Answer::Vanished(_, uids) => {
                        found::count(uids)?;
                    }
                    _ => {}
                },
            }
            Ok(())
        })?;
        start = end;
    }
    Ok(())
}

const ANSWERS: [&[u8]; 5] = [
    b"* 12 FETCH (UID 5 FLAGS (\\Seen) BODY[HEADER] {13}\r\nFrom: a\r\n\r\n\r\n BODY[1]<0> \"ab\\\"c\" ENVELOPE (NIL {3}\r\na\"b NIL))\r\na1 OK done\r\n",
    b"* LIST (\\Sent) \"/\" {4}\r\nSent\r\n* STATUS \"a b\" (MESSAGES 5 UIDNEXT 6)\r\n",
    b"* ESEARCH (TAG \"a5\") UID ALL 1:5,7\r\n* SEARCH 1 2 3 (MODSEQ 5)\r\n* VANISHED (EARLIER) 1:3\r\n",
    b"* OK [CAPABILITY IMAP4rev1 LITERAL+] ready {5}\r\n+ go\r\n* BYE [X] text\r\n* 3 EXISTS\r\n",
    b"* NAMESPACE ((\"\" \"/\")) NIL NIL\r\n* QUOTA \"\" (STORAGE 10 512)\r\na2 NO [TRYCREATE] no\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = take(&bytes, &BTreeSet::new());
        let mut cursor = cursor::Cursor::new(&bytes);
        while cursor.value().is_ok() && cursor.take(b' ') {}
        let _ = cursor.string();
    }

    #[test]
    fn random_lines(line in "(\\*|a1) ([0-9]{1,11} )?(FETCH|LIST|STATUS|OK|SEARCH|ESEARCH|EXISTS|VANISHED) ?[ -~]{0,60}") {
        let _ = take(format!("{line}\r\n").as_bytes(), &BTreeSet::new());
    }

    #[test]
    fn random_messages(items in "\\(((UID|FLAGS|BODY\\[|\\]|RFC822|[0-9]|\"|\\{[0-9]\\}\r\n|\\(|\\)|NIL|<|>| ){0,30})\\)?") {
        let _ = take(format!("* 1 FETCH {items}\r\n").as_bytes(), &BTreeSet::new());
    }

    #[test]
    fn mutated_answers(
        which in 0usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cuts in prop::collection::btree_set(0usize..160, 0..6),
    ) {
        let mut bytes = ANSWERS[which].to_vec();
        let is_whole = changes.is_empty();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let (whole, pieces) = (take(&bytes, &BTreeSet::new()), take(&bytes, &cuts));
        prop_assert!(!is_whole || whole.is_ok(), "{:?}", whole);
        prop_assert_eq!(whole, pieces, "pieces make no difference");
    }
}
