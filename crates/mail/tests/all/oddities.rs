//! What servers may send but rarely do, and what they must not send.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use crate::common::person::{user, watched};
use crate::common::play;
use crate::common::script::script;
use headcount_load::{Fault, FaultKind, Password};
use headcount_mail::endpoint::Security;
use headcount_mail::imap::{Authentication, Capability, Fetched, Idle, Imap, Uids, What};
use headcount_mail::task::Task;

/// The greeting of a server that offers this.
fn greeting(offered: &str) -> String {
    format!("* OK [CAPABILITY IMAP4rev1 {offered}] ready\r\n")
}

/// The fault of NOOP with this answer.
fn noop(answer: &[u8]) -> Fault {
    let (endpoint, _server) = script(&greeting(""), &[("NOOP", answer)]);
    play(async {
        let (user, tasks) = watched(0);
        let mut imap = Imap::connect(&endpoint, user.stopwatch()).await.unwrap();
        let fault = imap.noop().await.unwrap_err();
        let tallies = tasks.tallies();
        assert_eq!(tallies[Task::Noop as usize].failed, 1);
        fault
    })
}

#[test]
fn faults_say_what_is_wrong() {
    let endless = [b"* OK ", &*vec![b'x'; 80_000]].concat();
    let cases: [(&[u8], FaultKind, bool, &str); 13] = [
        (
            b"a1 NO [INUSE] not\x1b[0m now\r\n",
            FaultKind::Refused,
            false,
            "NOOP: [INUSE] not\\u{1b}[0m now",
        ),
        (
            b"a1 BAD what?\r\n",
            FaultKind::Refused,
            false,
            "does not understand the command: what?",
        ),
        (
            b"* BYE too long\r\n",
            FaultKind::Disconnected,
            true,
            "ended the session: too long",
        ),
        (
            b"* 1 EXISTS\r\n",
            FaultKind::Disconnected,
            true,
            "NOOP: the server closed the connection",
        ),
        (
            b"* 1 EXI",
            FaultKind::Disconnected,
            true,
            "in the middle of an answer",
        ),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            FaultKind::Malformed,
            true,
            "is not IMAP: \"HTTP/1.1 400 Bad Request\"",
        ),
        (
            b"\x00\xff\x00\r\n",
            FaultKind::Malformed,
            true,
            "is not IMAP",
        ),
        (b"a1 OK done\n", FaultKind::Malformed, true, "without CR"),
        (
            b"a7 OK done\r\n",
            FaultKind::Malformed,
            true,
            "the tag of the command was expected",
        ),
        (
            b"+ more\r\n",
            FaultKind::Malformed,
            true,
            "asks for more than the command has",
        ),
        (&endless, FaultKind::Malformed, true, "does not end"),
        (
            b"* LIST () \"/\" {99999999}\r\n",
            FaultKind::Malformed,
            true,
            "99999999 bytes where no contents",
        ),
        (
            b"* 5 EXISTS\r\n* 99999999999 EXISTS\r\n",
            FaultKind::Malformed,
            true,
            "a number of 32 bits",
        ),
    ];
    for (answer, kind, ends_session, part) in cases {
        let fault = noop(answer);
        assert_eq!(
            (fault.kind, fault.ends_session),
            (kind, ends_session),
            "{fault}"
        );
        assert!(fault.message.contains(part), "{fault}");
    }
}

#[test]
fn unusual_greetings_are_handled() {
    for (greeting, kind, part) in [
        (
            "* BYE no room\r\n",
            FaultKind::Disconnected,
            "refused the connection: no room",
        ),
        ("", FaultKind::Disconnected, "instead of greeting"),
        (
            "SSH-2.0-OpenSSH_9.2\r\n",
            FaultKind::Malformed,
            "is not IMAP: \"SSH-2.0",
        ),
        ("220 smtp ESMTP\r\n", FaultKind::Malformed, "is not IMAP"),
    ] {
        let (endpoint, _server) = script(greeting, &[]);
        let fault = play(async {
            Imap::connect(&endpoint, user(0).stopwatch())
                .await
                .unwrap_err()
        });
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(fault.message.contains(part), "{fault}");
    }
    // Already logged on: the client sends no logon.
    let (endpoint, server) = script(
        "* PREAUTH [CAPABILITY IMAP4rev1] hello\r\n",
        &[("LOGOUT", b"* BYE\r\na1 OK\r\n")],
    );
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.login("u", &Password::new("p"), Authentication::Plain)
            .await
            .unwrap();
        imap.logout().await.unwrap();
    });
    assert_eq!(server.join().unwrap(), "a1 LOGOUT\r\n");
}

#[test]
fn unsolicited_answers_are_processed() {
    let turns: [(&str, &[u8]); 2] = [
        ("NOOP", b"* 5 EXISTS\r\n* 1 RECENT\r\n* 3 EXPUNGE\r\n* VANISHED 1:2\r\n* VANISHED (EARLIER) 1:9\r\n* 1 FETCH \
            (FLAGS ())\r\n* OK [ALERT] {5}\r\n* X-ODD (a) {3}\r\nb)c\r\na1 OK\r\n"),
        ("NOOP", b"* CAPABILITY IMAP4rev1 MOVE\r\na2 OK [X y] done\r\n"),
    ];
    let (endpoint, _server) = script(&greeting(""), &turns);
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.noop().await.unwrap();
        assert_eq!(imap.exists(), 2);
        assert!(!imap.offers(Capability::Move));
        imap.noop().await.unwrap();
        assert!(imap.offers(Capability::Move));
    });
}

#[test]
fn literals_wait_for_the_server_if_required() {
    let turns: [(&str, &[u8]); 5] = [
        ("CAPABILITY", b"* CAPABILITY IMAP4rev1\r\na1 OK\r\n"),
        ("a2 LOGIN \"u\" {5}", b"+ go\r\n"),
        ("p\u{e4}ss", b"a2 OK [CAPABILITY IMAP4rev1] in\r\n"),
        ("a3 APPEND \"x\" (\\Seen) {4}", b"+ \r\n"),
        ("mail", b"a3 OK [APPENDUID 7 12] done\r\n"),
    ];
    let (endpoint, _server) = script("* OK hello\r\n", &turns);
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.login("u", &Password::new("p\u{e4}ss"), Authentication::Command)
            .await
            .unwrap();
        let last = imap
            .append("x", "\\Seen", &mut [b"mail".to_vec()].into_iter())
            .await
            .unwrap();
        assert_eq!(last, Some(12));
    });
    // After a refused literal, commands and answers still match.
    let turns: [(&str, &[u8]); 2] = [
        ("{4}", b"a1 NO [TRYCREATE] no such\r\n"),
        ("a2 NOOP", b"a2 OK\r\n"),
    ];
    let (endpoint, _server) = script(&greeting(""), &turns);
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        let fault = imap
            .append("x", "", &mut [b"mail".to_vec()].into_iter())
            .await
            .unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        assert_eq!(&*fault.message, "APPEND: [TRYCREATE] no such");
        imap.noop().await.unwrap();
    });
}

#[test]
fn failed_logons_do_not_show_the_password() {
    let secret = Password::new("sesame");
    let no: &[u8] = b"a1 NO [AUTHENTICATIONFAILED] sesame is wrong\r\n";
    let turns: [(&str, &[u8]); 2] = [("AUTHENTICATE PLAIN", b"+ \r\n"), ("AHUAc2VzYW1l", no)];
    let (endpoint, _server) = script(&greeting("AUTH=PLAIN"), &turns);
    let fault = play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.login("u", &secret, Authentication::Plain)
            .await
            .unwrap_err()
    });
    assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, true));
    assert!(!fault.message.contains("sesame"), "{fault}");

    let echo: &[u8] = b"a1 BAD unknown command: AUTHENTICATE PLAIN AHUAc2VzYW1l\r\n";
    let (endpoint, _server) = script(&greeting("SASL-IR"), &[("AHUAc2VzYW1l", echo)]);
    let fault = play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.login("u", &secret, Authentication::Plain)
            .await
            .unwrap_err()
    });
    assert_eq!((fault.kind, fault.ends_session), (FaultKind::Login, true));
    assert!(!fault.message.contains("AHUAc2VzYW1l"), "{fault}");

    let (endpoint, _server) = script(&greeting("LOGINDISABLED"), &[]);
    let fault = play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.login("u", &secret, Authentication::Command)
            .await
            .unwrap_err()
    });
    assert!(fault.message.contains("forbids LOGIN"), "{fault}");
}

#[test]
fn injected_clear_text_and_refused_starttls_are_faults() {
    let (mut endpoint, _server) = script(
        &greeting("STARTTLS"),
        &[("STARTTLS", b"a1 OK begin\r\na2 OK injected\r\n")],
    );
    endpoint.security = Security::Starttls;
    let fault = play(async {
        Imap::connect(&endpoint, user(0).stopwatch())
            .await
            .unwrap_err()
    });
    assert_eq!(fault.kind, FaultKind::Malformed);
    let (mut endpoint, _server) = script(&greeting(""), &[("STARTTLS", b"a1 BAD unknown\r\n")]);
    endpoint.security = Security::Starttls;
    let fault = play(async {
        Imap::connect(&endpoint, user(0).stopwatch())
            .await
            .unwrap_err()
    });
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Connect, true),
        "{fault}"
    );
}

#[test]
fn answers_of_both_revisions_are_read() {
    let turns: [(&str, &[u8]); 4] = [
        ("ENABLE IMAP4rev2", b"* ENABLED IMAP4rev2\r\na1 OK\r\n"),
        ("LIST \"\" \"*\"", "* LIST () \"/\" \"R&D \u{fc}\"\r\n* LIST () \"/\" Inbox\r\na2 OK\r\n".as_bytes()),
        ("UID SEARCH UNSEEN", b"* ESEARCH (TAG \"a3\") UID ALL 2,4:6\r\na3 OK\r\n"),
        ("UID FETCH 1 (BODY.PEEK[TEXT])", b"* 1 FETCH (BODY[TEXT] {3}\r\nabc UID 1)\r\n* 2 FETCH (UID 2 BODY[TEXT] NIL)\r\na4 OK\r\n"),
    ];
    let (endpoint, _server) = script(&greeting("IMAP4rev2"), &turns);
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.enable_rev2().await.unwrap();
        let folders = imap.list("", "*").await.unwrap();
        let names: Vec<&str> = folders.iter().map(|folder| &*folder.name).collect();
        assert_eq!(names, ["R&D \u{fc}", "INBOX"]);
        assert_eq!(imap.search("UNSEEN").await.unwrap(), [2, 4, 5, 6]);
        let mut seen = Vec::new();
        let bytes = imap
            .fetch(&Uids::one(1), What::Text, &mut |fetched| {
                seen.push(match fetched {
                    Fetched::Piece(piece) => {
                        format!("{:?} {}", piece.uid, piece.bytes.escape_ascii())
                    }
                    Fetched::Message(known) => format!("{:?}", known.uid),
                });
            })
            .await
            .unwrap();
        assert_eq!(bytes, 3);
        assert_eq!(seen, ["None abc", "Some(1)", "Some(2) ", "Some(2)"]);
    });
}

#[test]
fn idle_ends_with_news_or_with_the_session() {
    let turns: [(&str, &[u8]); 3] = [
        ("IDLE", b"* 3 EXISTS\r\n+ idling\r\n"),
        ("DONE", b"a1 OK\r\n"),
        (
            "IDLE",
            b"+ idling\r\n* OK still here\r\n* 3 EXISTS\r\n* BYE going down\r\n",
        ),
    ];
    let (endpoint, _server) = script(&greeting("IDLE"), &turns);
    play(async {
        let user = user(0);
        let mut imap = Imap::connect(&endpoint, user.stopwatch()).await.unwrap();
        assert_eq!(imap.idle(u64::MAX, &user).await.unwrap(), Idle::Changed);
        let fault = imap.idle(u64::MAX, &user).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Disconnected);
        assert!(
            fault
                .message
                .contains("IDLE: the server ended the session: going down"),
            "{fault}"
        );
    });
}

#[test]
fn messages_are_moved_without_the_move_extension() {
    let ok: Vec<Vec<u8>> = (1..=3)
        .map(|tag| format!("a{tag} OK\r\n").into_bytes())
        .collect();
    let turns: [(&str, &[u8]); 3] = [
        ("UID COPY 1:2,9 \"Trash\"", &ok[0]),
        ("UID STORE 1:2,9 +FLAGS.SILENT (\\Deleted)", &ok[1]),
        ("a3 EXPUNGE", &ok[2]),
    ];
    let (endpoint, _server) = script(&greeting(""), &turns);
    play(async {
        let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
        imap.move_to(&Uids::from(&[9, 2, 1][..]), "Trash")
            .await
            .unwrap();
        imap.move_to(&Uids::new(), "Trash").await.unwrap();
    });
}

#[test]
fn endless_lists_are_refused() {
    let name = "x".repeat(10_000);
    let mailboxes = format!("* LIST () \"/\" {name}\r\n").repeat(1000);
    let quotas = format!("* QUOTA {name} (STORAGE 1 2)\r\n").repeat(1000);
    for (answers, wanted) in [
        (mailboxes, "a shorter list of mailboxes was expected"),
        (quotas, "fewer quotas was expected"),
    ] {
        let (endpoint, _server) = script(&greeting(""), &[("\"", answers.as_bytes())]);
        let fault = play(async {
            let mut imap = Imap::connect(&endpoint, user(0).stopwatch()).await.unwrap();
            if answers.starts_with("* LIST") {
                imap.list("", "*").await.unwrap_err()
            } else {
                imap.quota_root("INBOX").await.unwrap_err()
            }
        });
        assert_eq!(fault.kind, FaultKind::Malformed);
        assert!(fault.message.contains(wanted), "{fault}");
    }
}
