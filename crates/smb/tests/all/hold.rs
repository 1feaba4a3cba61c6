//! Connections, connections to shares and open files that are held on a real server.
#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::common::Samba;
use headcount_smb::SmbOptions;
use headcount_smb::client::provision::{Hold, Holding, Progress, ProvisionError};

fn options(samba: &Samba) -> SmbOptions {
    SmbOptions {
        folder: r"headcount\user{n:05}".into(),
        ..samba.options()
    }
}

fn quietly(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

const fn holding(connections: u32, trees: u32, files: u32) -> Holding {
    Holding {
        connections,
        trees,
        files,
    }
}

/// The entries below a folder.
fn names(below: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(below) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.map(Result::unwrap) {
        found.push(entry.path());
        found.extend(names(&entry.path()));
    }
    found.sort();
    found
}

/// Sessions, connections to the share, and open files, as the server reports them.
fn counts(samba: &Samba) -> (usize, usize, usize) {
    let starting = |lines: Vec<String>, with: &dyn Fn(&str) -> bool| {
        lines.iter().filter(|line| with(line)).count()
    };
    (
        starting(samba.status("-p"), &|line| line.contains("127.0.0.1")),
        starting(samba.status("-S"), &|line| line.starts_with("data ")),
        starting(samba.status("-L"), &|line| line.contains("hold")),
    )
}

#[test]
fn the_server_reports_what_is_held_and_nothing_afterwards() {
    let samba = Samba::start("auto");
    let mut hold = Hold::new(options(&samba)).unwrap();
    assert_eq!(counts(&samba), (0, 0, 0));
    for wanted in [
        holding(3, 1, 0),
        holding(3, 4, 2),
        holding(5, 2, 3),
        holding(2, 1, 1),
    ] {
        assert_eq!(hold.bring(wanted, &mut quietly).unwrap(), wanted);
        let Holding {
            connections,
            trees,
            files,
        } = wanted;
        let all = (connections, connections * trees, connections * files);
        let all = (all.0 as usize, all.1 as usize, all.2 as usize);
        assert_eq!(counts(&samba), all, "{wanted:?}");
        assert_eq!(hold.check().unwrap(), wanted);
    }
    hold.close().unwrap();
    assert_eq!(names(&samba.share()), Vec::<PathBuf>::new());
    assert_eq!(counts(&samba), (0, 0, 0));
    hold.close().unwrap();
    assert!(hold.check().is_err());
}

#[test]
fn nothing_is_written_if_no_files_are_held() {
    let samba = Samba::start("auto");
    fs::create_dir_all(samba.behind("headcount")).unwrap();
    fs::write(samba.behind(r"headcount\thesis.txt"), "years of work").unwrap();
    let mut hold = Hold::new(options(&samba)).unwrap();
    hold.bring(holding(2, 2, 0), &mut quietly).unwrap();
    let error = hold.bring(holding(2, 2, 1), &mut quietly).unwrap_err();
    assert!(matches!(error, ProvisionError::NotOurs { .. }), "{error}");
    hold.close().unwrap();
    let theirs = [
        samba.behind("headcount"),
        samba.behind(r"headcount\thesis.txt"),
    ];
    assert_eq!(names(&samba.share()), theirs);
}

#[test]
fn existing_files_stay() {
    let samba = Samba::start("auto");
    let order = headcount_smb::client::provision::Order {
        first: 0,
        last: 1,
        read_through: false,
    };
    headcount_smb::client::provision::prepare(options(&samba), &order, &mut quietly).unwrap();
    let before = names(&samba.share());
    let mut hold = Hold::new(options(&samba)).unwrap();
    hold.bring(holding(3, 1, 2), &mut quietly).unwrap();
    assert_eq!(
        names(&samba.share()).len(),
        before.len() + 3 * 2 + 1,
        "a folder for the third"
    );
    drop(hold);
    assert_eq!(names(&samba.share()), before);
}

#[test]
fn refusals_are_reported_and_fewer_files_can_be_held() {
    let samba = Samba::with(&[("max open files", "300")]);
    let mut hold = Hold::new(options(&samba)).unwrap();
    let error = hold.bring(holding(1, 1, 1000), &mut quietly).unwrap_err();
    let ProvisionError::Fault(fault) = &error else {
        panic!("{error}");
    };
    assert!(fault.message.contains("hold00000-00300"), "{error}");
    assert_eq!(
        hold.bring(holding(1, 1, 3), &mut quietly).unwrap(),
        holding(1, 1, 3)
    );
    assert_eq!(counts(&samba), (1, 1, 3));
    hold.close().unwrap();
    assert_eq!(names(&samba.share()), Vec::<PathBuf>::new());
}

#[test]
fn a_cancelled_hold_leaves_nothing_behind() {
    let samba = Samba::start("auto");
    let mut hold = Hold::new(options(&samba)).unwrap();
    let mut stop = |progress: Progress| {
        assert_eq!(progress.users, 4);
        ControlFlow::Break(())
    };
    let error = hold.bring(holding(4, 1, 5000), &mut stop).unwrap_err();
    assert!(matches!(error, ProvisionError::Cancelled), "{error}");
    hold.close().unwrap();
    assert_eq!(names(&samba.share()), Vec::<PathBuf>::new());
}

#[test]
fn lost_connections_are_not_counted() {
    let mut samba = Samba::start("auto");
    let mut hold = Hold::new(options(&samba)).unwrap();
    hold.bring(holding(3, 1, 0), &mut quietly).unwrap();
    samba.kill();
    assert_eq!(hold.check().unwrap().connections, 0);
    hold.close().unwrap();
}
