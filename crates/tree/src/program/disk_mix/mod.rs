//! The disk mix: a program made after the published statistics of a trace of `NetBench`'s Disk Mix.
//!
//! Eight scripts, each imitating an application at work on documents, follow each other in
//! [`REPEATS`] repeats. A script copies a few files of the user's workspace, reads some that all
//! users share, and then opens, reads, writes, asks, looks for, renames and deletes in the
//! proportions of [`statistics`]. It leaves nothing behind, so users may begin at any script.
//!
//! The statistics are counts over the trace that Debian's dbench plays; no line of it is used.

mod kinds;
mod quota;
mod script;
pub mod statistics;

use headcount_load::stream::{Purpose, Stream};

use super::builder::Builder;
use super::operation::Operation;
use super::{Path, Program, WORK};
use crate::data_set::{DataSet, Group, Place};
use quota::Quota;
use script::{Place as Desk, Script};
use statistics::{
    OPERATIONS, READ_SIZES, READS_ON, REPEAT_OPERATIONS, SCRIPTS, WRITE_SIZES, WRITES_ON,
};

/// Repeats of the eight scripts before the program starts over: enough to copy each file of a
/// workspace of 80 MiB.
pub const REPEATS: u32 = 16;

/// The draws of the whole program, so that its proportions match the statistics.
#[derive(Debug)]
struct Proportions {
    stream: Stream,
    operations: Quota,
    reads: Quota,
    writes: Quota,
    reads_on: Quota,
    writes_on: Quota,
}

/// The program for a data set, whose files must all be of one size.
pub fn make(data_set: &DataSet) -> Result<Program, String> {
    if data_set.sigma != 0.0 {
        return Err("the disk mix needs files of one size: set sigma to 0".into());
    }
    let least = statistics::COPY_READ_BYTES;
    let of = |group, index| Place { group, index };
    let file_bytes = data_set.bytes(0, of(Group::Static, 0));
    if file_bytes < u64::from(least) {
        return Err(format!(
            "the disk mix needs files of {least} bytes or more; they have {file_bytes}"
        ));
    }
    let mut builder = Builder::default();
    builder.folder(WORK);
    for script in &SCRIPTS {
        builder.folder(&format!("{WORK}\\{}", script.name));
    }
    let files = |group| -> Vec<Box<str>> {
        let path = |index| data_set.path("", of(group, index)).into();
        (0..data_set.count(group)).map(path).collect()
    };
    let desk = Desk {
        workspace: files(Group::Static),
        shared: files(Group::Shared),
        file_bytes,
    };
    let mut proportions = Proportions {
        stream: Stream::new(data_set.seed, Purpose::Scenario, u32::MAX, 0),
        operations: Quota::new(&OPERATIONS.map(|(_, share)| share)),
        reads: Quota::new(&READ_SIZES.map(|(_, share)| share)),
        writes: Quota::new(&WRITE_SIZES.map(|(_, share)| share)),
        reads_on: Quota::new(&READS_ON),
        writes_on: Quota::new(&WRITES_ON),
    };
    let whole: f64 = SCRIPTS.iter().map(|script| script.share).sum();
    let mut due = 0.0;
    let mut made = 0;
    for _ in 0..REPEATS {
        for script in &SCRIPTS {
            due += REPEAT_OPERATIONS * script.share / whole;
            builder.entry();
            let length = (due as usize).saturating_sub(made);
            made += Script::new(script.name, &desk, &mut builder, &mut proportions).write(length);
        }
    }
    let numbers = |path: &Path| number(path, &desk, data_set);
    Ok(builder.build(numbers).counting("operation"))
}

/// The number of a prepared file in the marks of its blocks.
fn number(path: &Path, desk: &Desk, data_set: &DataSet) -> Option<u32> {
    let (group, names) = if path.is_common {
        (Group::Shared, &desk.shared)
    } else {
        (Group::Static, &desk.workspace)
    };
    let index = names.iter().position(|name| *name == path.below)? as u32;
    Some(data_set.owner(0, Place { group, index }).file)
}

/// Adds an operation, whose index takes the place of the line of a load file.
fn push(builder: &mut Builder, action: super::operation::Action, expected: super::answer::Answer) {
    let line = builder.len() as u32 + 1;
    builder.push(Operation {
        action,
        expected,
        line,
    });
}
