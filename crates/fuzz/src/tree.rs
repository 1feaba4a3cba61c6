//! Load files.

use headcount_tree::program::Program;
use headcount_tree::program::operation::Action;
use headcount_tree::program::parse::parse;

/// Reads a load file: all that its operations name is there, and no path leads out of the folder.
pub fn load_file(data: &[u8]) {
    let Some((&mode, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    match parse(text, mode & 1 == 1) {
        Ok(program) => check(&program),
        Err(error) => assert!(!error.problem.contains(char::is_control)),
    }
}

fn check(program: &Program) {
    let path = |at: u32| assert!((at as usize) < program.paths.len());
    let slot = |slot: u16| assert!(slot < program.slots);
    for operation in &program.operations {
        match operation.action {
            Action::Open {
                path: at,
                slot: number,
                ..
            } => {
                path(at);
                slot(number);
            }
            Action::Find { folder, mask } => {
                path(folder);
                assert!((mask as usize) < program.masks.len());
            }
            Action::Rename { path: at, to } => {
                path(at);
                path(to);
            }
            Action::QueryPath { path: at, .. }
            | Action::Unlink { path: at }
            | Action::Mkdir { path: at }
            | Action::Rmdir { path: at }
            | Action::DeleteTree { path: at } => path(at),
            Action::Close { slot: number }
            | Action::Read { slot: number, .. }
            | Action::Write { slot: number, .. }
            | Action::Flush { slot: number }
            | Action::QueryFile { slot: number, .. }
            | Action::SetFile { slot: number }
            | Action::Lock { slot: number, .. }
            | Action::Unlock { slot: number, .. } => slot(number),
            Action::QueryFs { .. } => {}
        }
    }
    for path in &program.paths {
        let mut parts = path.below.split('\\');
        assert!(!parts.any(|part| part.is_empty() || part == "." || part == ".."));
    }
    let turns = program.turns();
    assert_eq!(turns.order.len(), program.operations.len());
    assert!(!turns.entries.is_empty());
}
