//! Load files: how they are parsed, and the errors for invalid ones.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use headcount_tree::parts::How;
use headcount_tree::program::answer::Answer;
use headcount_tree::program::facts::Facts;
use headcount_tree::program::operation::{Action, Kind, Wanted};
use headcount_tree::program::parse::parse;
use headcount_tree::query::Query;
use proptest::prelude::*;

/// One of each operation, written by hand.
const EACH: &str = r#"
# a comment
Deltree "\clients\client1" NT_STATUS_OK
Mkdir "\clients" NT_STATUS_OK
NTCreateX "\clients\client1" 0x1 0x2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "\clients\client1\A B.DAT" 0x40 0x1 7 NT_STATUS_OBJECT_NAME_NOT_FOUND
NTCreateX "\clients\client1\A B.DAT" 0x40 0x2 7 NT_STATUS_OK
WriteX 7 0 8192 8192 NT_STATUS_OK
WriteX 7 65535 1 1 NT_STATUS_OK
Flush 7 NT_STATUS_OK
ReadX 7 4096 4096 4096 NT_STATUS_OK
ReadX 7 4096 8192 8192 NT_STATUS_OK
LockX 7 2147483538 1 NT_STATUS_OK
UnlockX 7 2147483538 1 0x00000000
QUERY_FILE_INFORMATION 7 258 NT_STATUS_OK
SET_FILE_INFORMATION 7 1004 NT_STATUS_OK
Close 7 NT_STATUS_OK
QUERY_PATH_INFORMATION "\clients\client1\a b.dat" 1035 NT_STATUS_OK
QUERY_FS_INFORMATION 259 NT_STATUS_OK
Rename "\clients\client1\A B.DAT" "\clients\client1\B" NT_STATUS_OK
FIND_FIRST "\clients\client1\<.JNK" 260 1366 0 NT_STATUS_NO_SUCH_FILE
Unlink "\clients\client1\B" 0x6 NT_STATUS_OK
Rmdir "\clients\client1\none" 0xc0000034
"#;

#[test]
fn every_operation_is_parsed() {
    let program = parse(EACH, false).unwrap();
    let kinds: Vec<Kind> = Kind::ALL.to_vec();
    for kind in kinds {
        let times = program
            .operations
            .iter()
            .filter(|o| o.action.kind() == kind);
        assert!(times.count() > 0, "{}", kind.name());
    }
    let at = |line: u32| program.operations.iter().find(|o| o.line == line).unwrap();
    let path = |index: u32| &*program.paths[index as usize].below;
    let Action::DeleteTree { path: work } = at(3).action else {
        panic!("{:?}", at(3))
    };
    assert_eq!(path(work), "work");
    let Action::Open {
        path: file,
        slot,
        creation,
    } = at(7).action
    else {
        panic!("{:?}", at(7))
    };
    assert_eq!(path(file), r"work\A B.DAT");
    assert_eq!((creation.how, creation.kind), (How::Open, Wanted::File));
    assert_eq!(at(7).expected, Answer::Missing);
    // The released slot is reused.
    assert_eq!((slot, program.slots), (0, 1));
    assert_eq!(
        at(19).action,
        Action::QueryPath {
            path: program
                .paths
                .iter()
                .position(|p| &*p.below == r"work\a b.dat")
                .unwrap() as u32,
            query: Query::NetworkOpen
        }
    );
    assert_eq!(&*program.entries, [0]);
    // The program makes the client's folder itself, but not the one for paths outside clients'
    // folders.
    assert_eq!(&*program.folders, [Box::from("other")]);
    let facts = Facts::of(&program);
    assert_eq!((facts.read_bytes, facts.written_bytes), (12_288, 8193));
    assert_eq!(facts.operations["NTCreateX"], 3);
    assert_eq!(facts.refused["NTCreateX"], 1);
    // The second of the two reads goes beyond the whole units written.
    assert_eq!(facts.checked_bytes, 4096);
    assert_eq!(
        facts.operations.values().sum::<u64>(),
        program.operations.len() as u64
    );
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let sentence = |text: &str| parse(text, false).unwrap_err().to_string();
    let open = "NTCreateX \"\\c\\client1\\x\" 0x40 0x2 5 NT_STATUS_OK\n";
    for (text, says) in [
        ("", "line 1: this file has no operations"),
        (
            "Fly 1 NT_STATUS_OK",
            "line 1: \"Fly\" is not an operation of a load file of dbench; these",
        ),
        (
            "\n\nClose 5 NT_STATUS_OK",
            "line 3: Close on handle 5, which no NTCreateX before it has opened",
        ),
        (
            "Flush NT_STATUS_OK",
            "line 1: Flush needs handle, and the status; there are 0 words",
        ),
        (
            "Close 1 FINE",
            "line 1: the last word must be the expected status, such as NT_STATUS_OK",
        ),
        ("Close", "line 1: the last word must be the expected status"),
        (
            "0.123 Close 1 NT_STATUS_OK",
            "line 1: it begins with the time stamp 0.123; operations are",
        ),
        (
            "QUERY_FS_INFORMATION x NT_STATUS_OK",
            "line 1: the level must be 0 or more; it is \"x\"",
        ),
        (
            "Mkdir \"\\client1\\..\\x\" NT_STATUS_OK",
            "line 1: the path \"\\\\client1\\\\..\\\\x\" has a part \"..\"; paths must stay",
        ),
        (
            "Mkdir \"\\client1 NT_STATUS_OK",
            "line 1: a quote is not closed",
        ),
        (
            "NTCreateX \"\\x\" 0x41 0x2 5 NT_STATUS_OK",
            "line 1: options 0x1 (a folder) and 0x40",
        ),
        (
            "NTCreateX \"\\x\" 0x1000 0x2 5 NT_STATUS_OK",
            "line 1: option 0x1000",
        ),
        (
            "NTCreateX \"\\x\" 0x40 9 5 NT_STATUS_OK",
            "line 1: the disposition must be from 0 to 5; it is 9",
        ),
    ] {
        let found = sentence(text);
        assert!(found.starts_with(says), "{found}");
    }
    for (text, says) in [
        (
            "ReadX 5 0 9000000 1 NT_STATUS_OK",
            "line 2: the size must be up to 8388608",
        ),
        (
            "ReadX 5 0 1 2 NT_STATUS_OK",
            "line 2: the size must be up to 8388608",
        ),
        (
            "ReadX 5 9223372036854775807 1 1 NT_STATUS_OK",
            "line 2: the size must be",
        ),
        (
            "WriteX 5 0 2 1 NT_STATUS_OK",
            "line 2: 1 of 2 bytes are to be written; only whole",
        ),
        (
            "ReadX 6 0 1 1 NT_STATUS_OK",
            "line 2: ReadX on handle 6, which no",
        ),
    ] {
        let found = sentence(&format!("{open}{text}"));
        assert!(found.starts_with(says), "{found}");
    }
    let long = format!("Mkdir \"\\{}\" NT_STATUS_OK", "x".repeat(5000));
    assert!(sentence(&long).starts_with("line 1: it is longer than 4096 bytes"));
    // A shell command in a message would reach a terminal; control characters do not.
    assert!(!sentence("\u{1b}[31m").contains('\u{1b}'));
}

#[test]
fn an_open_expected_to_fail_keeps_the_handle_of_the_same_number() {
    let text = "NTCreateX \"\\client1\\a\" 0x40 0x2 5 NT_STATUS_OK\n\
                NTCreateX \"\\client1\\b\" 0x40 0x1 5 NT_STATUS_OBJECT_NAME_NOT_FOUND\n\
                Close 5 NT_STATUS_OK\n";
    let program = parse(text, false).unwrap();
    let slots: Vec<u16> = program
        .operations
        .iter()
        .map(|operation| match operation.action {
            Action::Open { slot, .. } | Action::Close { slot } => slot,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((slots[0], slots[2], program.slots), (0, 0, 2));
    assert_ne!(slots[1], slots[0]);
}

#[test]
fn time_stamps_are_ignored_on_request() {
    let text =
        "0.000 Mkdir \"\\client1\\x\" NT_STATUS_OK\n12.5 Rmdir \"\\client1\\x\" NT_STATUS_OK";
    let plain = text.replace("0.000 ", "").replace("12.5 ", "");
    assert_eq!(parse(text, true).unwrap(), parse(&plain, false).unwrap());
}

proptest! {
    #[test]
    fn random_text_never_panics(text in "(?s).{0,300}") {
        let _ = parse(&text, false);
    }

    #[test]
    fn random_lines_of_known_words_stay_in_their_folders(
        words in prop::collection::vec(prop::sample::select(vec![
            "NTCreateX", "ReadX", "WriteX", "Close", "FIND_FIRST", "Rename", "Unlink", "LockX", "Deltree",
            "\"\\client1\\a\"", "\"\\..\\a\"", "\"\"", "\"*\"", "0x40", "0x1", "1", "2", "18446744073709551615", "-1",
            "4096", "NT_STATUS_OK", "NT_STATUS_NO_SUCH_FILE", "0xc0000034", "\n", "\n", "\n", "0.1",
        ]), 0..200),
        ignores in any::<bool>(),
    ) {
        let text = words.join(" ");
        if let Ok(program) = parse(&text, ignores) {
            for path in &program.paths {
                prop_assert!(path.below.starts_with("work") || path.below.starts_with("other"));
                prop_assert!(!path.below.contains(".."));
            }
        }
    }
}
