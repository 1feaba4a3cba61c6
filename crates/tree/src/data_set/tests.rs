use super::*;

#[test]
fn paths_lie_in_folders_and_are_unique() {
    let data_set = DataSet::default();
    let path = |group, index| data_set.path("user00007", Place { group, index });
    assert_eq!(path(Group::Home, 0), "user00007");
    assert_eq!(path(Group::Folder, 0), "user00007");
    assert_eq!(path(Group::Folder, 99), r"user00007\d001\d005\d024\d099");
    assert_eq!(path(Group::Shared, 3), r"shared\h0003.doc");
    assert_eq!(
        data_set.path(
            "",
            Place {
                group: Group::Folder,
                index: 1
            }
        ),
        "d001"
    );
    let mut all: Vec<_> = [Group::Static, Group::Volatile, Group::New, Group::Missing]
        .into_iter()
        .flat_map(|group| (0..data_set.count(group).min(500)).map(move |i| path(group, i)))
        .collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn every_user_has_the_published_81_mb() {
    let data_set = DataSet::default();
    let groups = [Group::Static, Group::Volatile];
    let mb = |user| data_set.sum_bytes(&groups, user) as f64 / 1e6;
    let all: Vec<f64> = (0..100).map(mb).collect();
    // The lognormal distribution of median 32 KiB and sigma 2, cut at 16 MiB, has a mean of
    // 225,491 bytes; rounding up adds 2,048 on average: 79.6 MB in 350 files.
    let mean = all.iter().sum::<f64>() / 100.0;
    assert!((mean / 79.64 - 1.0).abs() < 0.005, "{mean}");
    let odd = all.iter().find(|mb| (**mb / 79.64 - 1.0).abs() > 0.3);
    assert_eq!(odd, None);
    let near = all
        .iter()
        .filter(|mb| (**mb / 79.64 - 1.0).abs() < 0.15)
        .count();
    assert!(near > 80, "{all:?}");
}

fn library() -> Library {
    let class = |name: &str, content, bytes, files, uploads| Class {
        name: name.to_owned(),
        content,
        bytes,
        files,
        uploads,
    };
    Library::new(vec![
        class("text", Content::Text, 65536, 3, 2),
        class("office", Content::Office, 1 << 20, 2, 1),
    ])
}

#[test]
fn a_library_lies_beside_the_users_and_uploads_with_them() {
    let data_set = DataSet {
        folders: 1,
        static_files: 0,
        volatile_files: 0,
        new_files: 0,
        shared_files: 0,
        library: library(),
        ..DataSet::default()
    };
    assert_eq!(data_set.check(), Ok(()));
    let home = r"headcount\user00007";
    let path = |place| data_set.path(home, place);
    let own: Vec<_> = data_set.prepared().map(path).collect();
    assert_eq!(own, [home]);
    let common: Vec<_> = data_set.shared().map(path).collect();
    let expected = [
        r"headcount\library\text",
        r"headcount\library\office",
        r"headcount\library\text\f0000.txt",
        r"headcount\library\text\f0001.txt",
        r"headcount\library\text\f0002.txt",
        r"headcount\library\office\f0000.doc",
        r"headcount\library\office\f0001.doc",
    ];
    assert_eq!(common, expected);
    let uploads: Vec<_> = places(Group::Upload, 0..3).map(path).collect();
    let names = ["u0000-text.txt", "u0001-text.txt", "u0000-office.doc"];
    assert_eq!(uploads, names.map(|name| format!("{home}\\{name}")));
    assert_eq!(data_set.shared_bytes(), 3 * 65536 + 2 * (1 << 20));
    assert_eq!(data_set.own_bytes(7), 2 * 65536 + (1 << 20));
    let file = |group, index| data_set.owner(7, Place { group, index });
    assert_eq!(file(Group::Library, 4).user, u32::MAX);
    assert_eq!(file(Group::Library, 4).content, Content::Office);
    assert_eq!(file(Group::Upload, 0).user, 7);
    assert_eq!(file(Group::Upload, 0).content, Content::Text);
    assert_ne!(file(Group::Upload, 1).file, file(Group::Library, 1).file);
}

#[test]
fn marks_without_a_library_are_those_of_earlier_versions() {
    let text = serde_json::to_string(&DataSet::default()).unwrap();
    let before = r#"{"seed":1,"folders":100,"static_files":300,"volatile_files":50,"#.to_owned()
        + r#""new_files":145,"shared_files":100,"median_bytes":32768,"sigma":2.0,"#
        + r#""most_bytes":16777216}"#;
    assert_eq!(text, before);
    let with = DataSet {
        library: library(),
        ..DataSet::default()
    };
    let text = serde_json::to_string(&with).unwrap();
    assert_eq!(serde_json::from_str::<DataSet>(&text).unwrap(), with);
}

#[test]
fn a_data_set_without_files_is_refused() {
    let none = DataSet {
        static_files: 0,
        ..DataSet::default()
    };
    let text = none.check().unwrap_err();
    assert_eq!(text, "static_files must be from 1 to 100000; it is 0");
}

#[test]
fn small_data_sets_have_files_of_the_same_sizes() {
    let small = DataSet {
        static_files: 3,
        ..DataSet::default()
    };
    let users = 400;
    let group = Group::Static;
    let size = |user, index| small.bytes(user, Place { group, index }) as f64;
    let sum: f64 = (0..users)
        .map(|user| (0..3).map(|i| size(user, i)).sum::<f64>())
        .sum();
    let mean = sum / f64::from(3 * users);
    assert!((mean / 227_539.0 - 1.0).abs() < 0.03, "{mean}");
}
