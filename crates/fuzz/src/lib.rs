//! What reads the bytes of servers and the files of strangers, each behind a function that a fuzzer
//! calls. A target panics if its reader breaks a promise, which most often is that the answer does
//! not depend on how the bytes were cut into pieces.
//!
//! `make fuzz` looks for inputs that break one (`tests/fuzz/run.py`); the tests play those that are known
//! (`fuzz/corpus`, `fuzz/found`). A new target is a function and a row in [`TARGETS`].

mod app;
mod contents;
mod http;
mod imap;
mod input;
mod load;
mod message;
mod redis;
mod script;
mod smb;
mod smb_frames;
mod smtp;
mod sql;
mod tree;

/// Reads one input. It panics if the reader is wrong.
pub type Target = fn(&[u8]);

/// All targets, by the name of their folder in `fuzz/corpus`.
pub const TARGETS: &[(&str, Target)] = &[
    ("app-frames", app::frames),
    ("app-json", app::json),
    ("contents", contents::contents),
    ("fault-group", load::group),
    ("histogram", load::histogram),
    ("http-chunks", http::chunks),
    ("http-cookies", http::cookies),
    ("http-gzip", http::gzip),
    ("http-reply", http::reply),
    ("http2-head", http::head_of_http2),
    ("imap-answers", imap::answers),
    ("imap-names", imap::names),
    ("imap-words", imap::words),
    ("journey-html", script::html),
    ("journey-json", script::json_paths),
    ("journey-patterns", script::patterns),
    ("journey-predicates", script::predicates),
    ("journey-templates", script::templates),
    ("load-file", tree::load_file),
    ("mail-message", message::message),
    ("mail-text", message::text),
    ("options", load::options),
    ("plan", load::plan),
    ("redis-replies", redis::replies),
    ("smb-bodies", smb::bodies),
    ("smb-frames", smb_frames::frames),
    ("smb-logon", smb::logon),
    ("smtp-inbound", smtp::inbound),
    ("smtp-replies", smtp::replies),
    ("sql-answer", sql::answer),
    ("sql-logon", sql::logon),
];

/// The target of this name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.map(|(_, target)| *target)
}
