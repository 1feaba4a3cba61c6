//! Commands on mailboxes and messages against a real Dovecot, compared with its files on disk.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use crate::common::dovecot::{Dovecot, Way};
use crate::common::person::{arrive, in_time, name, timed, user, watched};
use crate::common::play;
use headcount_load::FaultKind;
use headcount_mail::imap::{Capability, Change, Fetched, Idle, Imap, Quota, Uids, What};
use headcount_mail::message::Body;
use headcount_mail::task::Task;

fn mail(number: u32) -> Vec<u8> {
    format!("Subject: number {number}\r\nFrom: a@test.invalid\r\n\r\nbody of {number}\r\n")
        .into_bytes()
}

async fn put(imap: &mut Imap, folder: &str, count: u32) {
    imap.append(folder, "", &mut (1..=count).map(mail))
        .await
        .unwrap();
}

fn contents(dovecot: &Dovecot, folder: &str) -> Vec<Vec<u8>> {
    dovecot
        .messages(&name(0), folder)
        .into_iter()
        .map(|(contents, _)| contents)
        .collect()
}

#[test]
fn mailboxes_are_made_listed_and_removed() {
    let dovecot = Dovecot::start();
    play(async {
        let (user, tasks) = watched(0);
        let mut imap = arrive(&dovecot.imap(Way::Plain), &user).await;
        let names = ["Entw\u{fc}rfe & so", "a \"b\" [c] {5}", "deep/er"];
        for folder in names {
            imap.create(folder).await.unwrap();
            put(&mut imap, folder, 2).await;
            let status = imap.status(folder).await.unwrap();
            assert_eq!((status.messages, status.uid_next, status.unseen), (2, 3, 2));
            assert_eq!(imap.select(folder).await.unwrap().exists, 2);
        }
        assert!(
            dovecot
                .maildir(&name(0), "Entw&APw-rfe &- so")
                .join("cur")
                .is_dir()
        );
        let listed: Vec<String> = imap
            .list("", "*")
            .await
            .unwrap()
            .into_iter()
            .map(|folder| folder.name)
            .collect();
        for folder in names {
            assert!(listed.iter().any(|name| name == folder), "{listed:?}");
        }
        imap.unselect().await.unwrap();
        assert_eq!(imap.exists(), 0);
        for folder in names {
            imap.remove(folder).await.unwrap();
        }
        assert!(!dovecot.maildir(&name(0), "Entw&APw-rfe &- so").exists());
        assert_eq!(imap.namespace().await.unwrap(), "");
        let fault = imap.select("nowhere").await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        assert!(
            fault.message.starts_with("SELECT: ") && fault.message.contains("nowhere"),
            "{fault}"
        );
        assert_eq!(user.requests().counts()[Task::Create as usize], 6);
        let tallies = tasks.tallies();
        let select = &tallies[Task::Select as usize];
        assert_eq!((select.completed, select.failed), (3, 1));
    });
}

#[test]
fn messages_are_copied_moved_and_removed() {
    // With MOVE, and without it.
    for (extra, moves) in [
        ("", true),
        ("imap_capability = IMAP4rev1 UIDPLUS IDLE", false),
    ] {
        let dovecot = Dovecot::with(extra);
        play(async {
            let mut imap = arrive(&dovecot.imap(Way::Plain), &user(0)).await;
            assert_eq!(imap.offers(Capability::Move), moves);
            put(&mut imap, "INBOX", 6).await;
            imap.select("INBOX").await.unwrap();
            imap.copy(&Uids::range(1..=2), "Sent").await.unwrap();
            imap.move_to(&Uids::from(&[2, 4, 5][..]), "Trash")
                .await
                .unwrap();
            assert_eq!(imap.exists(), 3);
            assert_eq!(contents(&dovecot, ""), [mail(1), mail(3), mail(6)]);
            assert_eq!(contents(&dovecot, "Sent"), [mail(1), mail(2)]);
            assert_eq!(contents(&dovecot, "Trash"), [mail(2), mail(4), mail(5)]);
            imap.store(&Uids::all(), Change::Add, "\\Deleted", true)
                .await
                .unwrap();
            imap.expunge(Some(&Uids::one(3))).await.unwrap();
            assert_eq!(contents(&dovecot, ""), [mail(1), mail(6)]);
            imap.check().await.unwrap();
            imap.expunge(None).await.unwrap();
            assert_eq!(imap.exists(), 0);
            assert_eq!(contents(&dovecot, ""), Vec::<Vec<u8>>::new());
            imap.logout().await.unwrap();
        });
    }
}

#[test]
fn every_part_of_a_message_is_fetched() {
    let dovecot = Dovecot::start();
    let header =
        "Subject: x\r\nFrom: a@test.invalid\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
    let text = "--b\r\n\r\nfirst\r\n--b\r\n\r\nsecond\r\n--b--\r\n";
    play(async {
        let mut imap = arrive(&dovecot.imap(Way::Tls), &user(0)).await;
        imap.append(
            "INBOX",
            "\\Answered",
            &mut [format!("{header}{text}").into_bytes()].into_iter(),
        )
        .await
        .unwrap();
        imap.select("INBOX").await.unwrap();
        let wanted = [
            (What::Header, header),
            (
                What::HeaderFields(&["Subject", "X-None"]),
                "Subject: x\r\n\r\n",
            ),
            (What::Text, text),
            (What::Part(1), "first"),
            (What::Part(2), "second"),
            (What::Whole, &format!("{header}{text}")),
            (What::Flags, ""),
            (What::Size, ""),
            (What::Envelope, ""),
        ];
        for (what, bytes) in wanted {
            let (mut seen, mut messages) = (Vec::new(), 0);
            let total = imap
                .fetch(&Uids::all(), what, &mut |fetched| match fetched {
                    Fetched::Piece(piece) => seen.extend_from_slice(piece.bytes),
                    Fetched::Message(known) => {
                        messages += 1;
                        assert_eq!(known.uid, Some(1));
                        assert_eq!(
                            known.size,
                            (what == What::Size).then_some((header.len() + text.len()) as u64)
                        );
                        let has_flags = matches!(what, What::Flags | What::Envelope);
                        assert_eq!(
                            known
                                .flags
                                .is_some_and(|flags| flags.starts_with(b"\\Answered")),
                            has_flags
                        );
                        assert_eq!(known.envelope.is_some(), what == What::Envelope);
                    }
                })
                .await
                .unwrap();
            assert_eq!(
                (seen.escape_ascii().to_string(), messages),
                (bytes.as_bytes().escape_ascii().to_string(), 1)
            );
            assert_eq!(total, bytes.len() as u64);
        }
    });
}

/// A message of many lines that is never in memory as a whole.
struct Long(u64);

const LINE: &[u8; 64] = b"a line of sixty-two characters that is repeated over and over.\r\n";

impl Body for Long {
    fn len(&self) -> u64 {
        self.0 * 64
    }

    fn write_piece(&self, at: u64, into: &mut Vec<u8>) {
        into.extend_from_slice(&LINE[(at % 64) as usize..]);
    }
}

#[test]
fn messages_of_any_size_come_back_unchanged() {
    // With literals that need no waiting, with those that do, and over TLS.
    for (extra, way) in [
        ("", Way::Plain),
        ("imap_capability = IMAP4rev1", Way::Plain),
        ("", Way::Tls),
    ] {
        let dovecot = Dovecot::with(extra);
        play(async {
            let mut imap = arrive(&dovecot.imap(way), &user(0)).await;
            let last = imap
                .append(
                    "INBOX",
                    "",
                    &mut [Long(1), Long(100_000), Long(1500)].into_iter(),
                )
                .await
                .unwrap();
            assert_eq!(
                last,
                Some(3),
                "APPENDUID is said whether or not it is offered"
            );
            imap.select("INBOX").await.unwrap();
            let (mut lengths, mut pieces) = (Vec::new(), 0);
            imap.fetch(&Uids::all(), What::Whole, &mut |fetched| {
                if let Fetched::Piece(piece) = fetched {
                    pieces += 1;
                    for (index, byte) in piece.bytes.iter().enumerate() {
                        assert_eq!(*byte, LINE[(piece.at as usize + index) % 64]);
                    }
                    if piece.at + piece.bytes.len() as u64 == piece.of {
                        lengths.push(piece.of / 64);
                    }
                }
            })
            .await
            .unwrap();
            assert_eq!(lengths, [1, 100_000, 1500]);
            assert!(pieces > 50, "{pieces} pieces");
            let on_disk: Vec<usize> = contents(&dovecot, "")
                .iter()
                .map(|message| message.len() / 64)
                .collect();
            assert_eq!(
                on_disk,
                lengths
                    .iter()
                    .map(|lines| *lines as usize)
                    .collect::<Vec<_>>()
            );
        });
    }
}

#[test]
fn idle_ends_with_news_or_at_its_time_limit() {
    let dovecot = Dovecot::start();
    play(async {
        let (user, tasks, timers) = timed(0);
        let mut imap = arrive(&dovecot.imap(Way::Plain), &user).await;
        let mut other = arrive(&dovecot.imap(Way::Plain), &user).await;
        imap.select("INBOX").await.unwrap();
        let until_ns = user.now_ns() + 50_000_000;
        let idle = in_time(&timers, imap.idle(until_ns, &user)).await;
        assert_eq!(idle.unwrap(), Idle::Quiet);
        assert!(user.now_ns() >= until_ns);
        let until_ns = user.now_ns() + 25_000_000_000;
        let late = async {
            user.sleep_until(user.now_ns() + 100_000_000).await;
            put(&mut other, "INBOX", 1).await;
        };
        let (idle, ()) = in_time(&timers, async {
            tokio::join!(imap.idle(until_ns, &user), late)
        })
        .await;
        let idle = idle.unwrap();
        assert_eq!((idle, imap.exists()), (Idle::Changed, 1));
        imap.noop().await.unwrap();
        let tallies = tasks.tallies();
        assert_eq!(tallies[Task::Idle as usize].completed, 2);
    });
}

#[test]
fn quotas_are_read_and_a_stopped_server_disconnects() {
    let mut dovecot = Dovecot::with(
        "mail_plugins = quota\nprotocol imap {\n  mail_plugins = quota imap_quota\n}\nplugin {\n  quota = \
         maildir:all\n  quota_rule = *:storage=100M\n}\n",
    );
    play(async {
        let (user, _, timers) = timed(0);
        let mut imap = arrive(&dovecot.imap(Way::Plain), &user).await;
        assert!(imap.offers(Capability::Quota));
        let quotas = imap.quota_root("INBOX").await.unwrap();
        let wanted = Quota {
            resource: "STORAGE".into(),
            used: 0,
            limit: 100 << 10,
        };
        assert_eq!(quotas, [wanted]);
        dovecot.stop();
        let idle = imap.idle(user.now_ns() + 25_000_000_000, &user);
        let fault = in_time(&timers, idle).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Disconnected, true),
            "{fault}"
        );
        let fault = Imap::connect(&dovecot.imap(Way::Plain), user.stopwatch())
            .await
            .unwrap_err();
        assert_eq!(fault.kind, FaultKind::Connect, "{fault}");
    });
}
