//! Sessions with a real Dovecot: answers agree with the files on disk.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use crate::common::dovecot::{Dovecot, PASSWORD, Way};
use crate::common::person::{arrive, name, user};
use crate::common::play;
use headcount_load::{FaultKind, Password};
use headcount_mail::imap::{Authentication, Capability, Change, Fetched, Imap, Uids, What};

/// The message with this number, in lines that a test can predict.
fn message(number: u32) -> Vec<u8> {
    let body = format!("line of message {number:05}\r\n").repeat(100);
    format!("From: a@test.invalid\r\nTo: b@test.invalid\r\nSubject: number {number}\r\n\r\n{body}")
        .into_bytes()
}

/// The contents of sections, each with its message's UID.
async fn read(imap: &mut Imap, uids: &Uids, what: What<'_>) -> Vec<(u32, Vec<u8>)> {
    let (mut found, mut contents) = (Vec::new(), Vec::new());
    let bytes = imap
        .fetch(uids, what, &mut |fetched| match fetched {
            Fetched::Piece(piece) => {
                assert_eq!(piece.at, contents.len() as u64);
                contents.extend_from_slice(piece.bytes);
                if contents.len() as u64 == piece.of {
                    found.push((piece.uid.unwrap(), std::mem::take(&mut contents)));
                }
            }
            Fetched::Message(known) => assert!(known.uid.is_some()),
        })
        .await
        .unwrap();
    assert_eq!(
        bytes,
        found
            .iter()
            .map(|(_, contents)| contents.len() as u64)
            .sum::<u64>()
    );
    found
}

#[test]
fn a_session_agrees_with_the_files_on_disk() {
    let dovecot = Dovecot::start();
    play(async {
        let user = user(0);
        let mut imap = arrive(&dovecot.imap(Way::Plain), &user).await;
        let selected = imap.select("INBOX").await.unwrap();
        assert_eq!(
            (selected.exists, selected.uid_next, selected.read_only),
            (0, 1, false)
        );

        let mut folders = imap.list("", "*").await.unwrap();
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        let names: Vec<&str> = folders.iter().map(|folder| &*folder.name).collect();
        assert_eq!(names, ["INBOX", "Sent", "Trash"]);
        assert!(folders[1].is("\\sent") && folders[1].delimiter == Some('/'));

        let messages: Vec<Vec<u8>> = (1..=5).map(message).collect();
        let last = imap
            .append("INBOX", "\\Flagged", &mut messages.iter().cloned())
            .await
            .unwrap();
        assert_eq!(last, Some(5));
        imap.noop().await.unwrap();
        assert_eq!(imap.exists(), 5);
        let on_disk = dovecot.messages(&name(0), "");
        let contents: Vec<&[u8]> = on_disk.iter().map(|(contents, _)| &**contents).collect();
        assert_eq!(contents, messages);
        assert!(on_disk.iter().all(|(_, flags)| flags == "F"));

        assert_eq!(imap.search("UNSEEN").await.unwrap(), [1, 2, 3, 4, 5]);
        let whole = read(&mut imap, &Uids::from(&[2, 4][..]), What::Whole).await;
        assert_eq!(whole, [(2, messages[1].clone()), (4, messages[3].clone())]);
        assert_eq!(
            imap.search("UNSEEN").await.unwrap().len(),
            5,
            "reading marks nothing"
        );

        imap.store(&Uids::range(1..=2), Change::Add, "\\Seen \\Deleted", true)
            .await
            .unwrap();
        imap.store(&Uids::one(2), Change::Remove, "\\Deleted", false)
            .await
            .unwrap();
        assert_eq!(imap.search("UNSEEN").await.unwrap(), [3, 4, 5]);
        imap.expunge(Some(&Uids::all())).await.unwrap();
        assert_eq!(imap.exists(), 4);
        let flags: Vec<String> = dovecot
            .messages(&name(0), "")
            .into_iter()
            .map(|(_, flags)| flags)
            .collect();
        assert_eq!(flags, ["FS", "F", "F", "F"]);
        imap.logout().await.unwrap();
    });
}

#[test]
fn every_way_of_connecting_and_logging_on_works() {
    let dovecot = Dovecot::start();
    play(async {
        for way in [Way::Plain, Way::Starttls, Way::Tls] {
            for how in [
                Authentication::Plain,
                Authentication::Login,
                Authentication::Command,
            ] {
                let user = user(1);
                let mut imap = Imap::connect(&dovecot.imap(way), user.stopwatch())
                    .await
                    .unwrap();
                imap.login(&name(1), &Password::new(PASSWORD), how)
                    .await
                    .unwrap();
                assert!(imap.offers(Capability::Move), "known after login only");
                imap.select("INBOX").await.unwrap();
                imap.logout().await.unwrap();

                let mut imap = Imap::connect(&dovecot.imap(way), user.stopwatch())
                    .await
                    .unwrap();
                let fault = imap
                    .login(&name(1), &Password::new("wr\u{f6}ng \"x"), how)
                    .await
                    .unwrap_err();
                assert_eq!(fault.kind, FaultKind::Login, "{way:?} {how:?}: {fault}");
                assert!(fault.ends_session && !fault.message.contains("wr\u{f6}ng"));
            }
        }
    });
}
