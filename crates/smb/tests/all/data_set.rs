//! The data set, made over SMB and used by the engine's users.

use std::fs;

use crate::common::{Person, Samba, play, smb};
use headcount_load::Moved;
use headcount_smb::SmbOptions;
use headcount_tree::data_set::{DataSet, Group, Place};
use serde_json::json;

#[test]
fn a_data_set_is_made_in_its_folder_and_repaired() {
    let samba = Samba::start("auto");
    let data_set = DataSet {
        folders: 7,
        static_files: 12,
        volatile_files: 3,
        shared_files: 2,
        sigma: 2.0,
        ..samba.options().data_set
    };
    let folder = r"staff\user{n:05}".to_owned();
    let options = SmbOptions {
        data_set: data_set.clone(),
        folder,
        first_user: 40,
        ..samba.options()
    };
    play(async {
        let mut person = Person::arrive(&smb(options), 2).await.unwrap();
        let all: Vec<Place> = data_set.prepared().chain(data_set.shared()).collect();
        let mut written_bytes = 0;
        for place in &all {
            written_bytes += person
                .session
                .backend()
                .prepare(*place, false)
                .await
                .unwrap()
                .written_bytes;
        }
        let files = all.iter().filter(|place| !place.group.is_folder());
        let mut expected_bytes = 0;
        for place in files {
            let path = data_set.path(r"staff\user00042", *place);
            let bytes = data_set.bytes(42, *place);
            assert_eq!(
                fs::metadata(samba.behind(&path)).unwrap().len(),
                bytes,
                "{path}"
            );
            expected_bytes += bytes;
        }
        assert_eq!(written_bytes, expected_bytes);

        let place = Place {
            group: Group::Static,
            index: 3,
        };
        let path = samba.behind(&data_set.path(r"staff\user00042", place));
        let bytes = data_set.bytes(42, place);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(bytes + 1)
            .unwrap();
        for again in &all {
            let moved = person
                .session
                .backend()
                .prepare(*again, false)
                .await
                .unwrap();
            let expected = if *again == place { bytes } else { 0 };
            assert_eq!(
                moved,
                Moved {
                    read_bytes: 0,
                    written_bytes: expected
                }
            );
        }
        assert_eq!(fs::metadata(&path).unwrap().len(), bytes);
        for _ in 0..50 {
            let open = |file| json!({"op": "open", "path": {"file": file}});
            let read = json!({"op": "read"});
            let close = json!({"op": "close"});
            person
                .play_all([open("static"), read.clone(), close.clone()])
                .await;
            person.play_all([open("shared"), read, close.clone()]).await;
            person
                .play_all([open("folder"), json!({"op": "list"}), close])
                .await;
            person.user.begin_scenario();
        }
    });
}
