//! A file system below the share that is really full: one clear fault, and no other damage.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here fails the test that called"
)]

use std::ops::ControlFlow;

use crate::common::{Person, Samba, play, smb};
use headcount_load::FaultKind;
use headcount_smb::SmbOptions;
use headcount_smb::client::provision::{Order, Progress, prepare};
use serde_json::{Value, json};

/// Room for what `prepare` keeps free, 64 MiB, and a little more.
const DISK_KIB: u32 = 70 << 10;
/// More than that.
const TOO_MUCH: u64 = 128 << 20;

/// One user, whose existing files are read and checked.
const ALL: Order = Order {
    first: 0,
    last: 0,
    read_through: true,
};

fn quietly(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Opens, reads and checks every prepared file, one after another.
async fn read_all(person: &mut Person) {
    for file in ["static", "volatile", "shared"] {
        for _ in 0..10 {
            person
                .play_all([
                    json!({"op": "open", "slot": 1, "path": {"file": file}}),
                    json!({"op": "read", "slot": 1}),
                    json!({"op": "close", "slot": 1}),
                ])
                .await;
        }
    }
}

fn write(bytes: u64) -> Value {
    json!({"op": "write", "from": "start", "bytes": bytes, "chunk_bytes": 1 << 20})
}

#[test]
fn a_full_disk_is_reported_and_damages_no_file() {
    let samba = Samba::on_small_disk(DISK_KIB);
    let options = SmbOptions {
        folder: r"headcount\user{n:05}".into(),
        ..samba.options()
    };
    let made = prepare(options.clone(), &ALL, &mut quietly).unwrap();
    assert_eq!((made.created, made.kept), (1, 0));
    play(async {
        let mut person = Person::arrive(&smb(options.clone()), 0).await.unwrap();
        read_all(&mut person).await;
        let open = json!({"op": "open", "path": {"file": "new"}, "access": "all", "how": "create"});
        person.play_all([open]).await;
        let fault = person.play(write(TOO_MUCH)).await.unwrap_err();
        assert_eq!(
            (fault.kind, fault.ends_session),
            (FaultKind::Refused, false)
        );
        let part = "STATUS_DISK_FULL (0xC000007F): the server's disk is full";
        assert!(fault.message.starts_with("WRITE \""), "{fault}");
        assert!(fault.message.contains(part), "{fault}");

        // Other files are complete, and so is the part of this one that was written.
        read_all(&mut person).await;
        let taken = json!({"op": "read", "from": "start", "bytes": 32 << 20});
        assert_eq!(person.play_all([taken]).await.read_bytes, 32 << 20);
        let full = person.play(write(TOO_MUCH)).await.unwrap_err();
        assert!(full.message.contains(part), "{full}");

        // Once there is room, work goes on.
        person
            .play_all([
                json!({"op": "truncate", "bytes": 0}),
                write(8 << 20),
                json!({"op": "read", "from": "start"}),
                json!({"op": "delete"}),
                json!({"op": "close"}),
            ])
            .await;
    });
    let found = prepare(options, &ALL, &mut quietly).unwrap();
    assert_eq!(found.written_bytes, 0, "{found:?}");
}
