//! The binding `headcount._engine`: conversion between the engine and Python, no logic.

mod app;
mod disk;
mod engine;
mod errors;
mod front;
mod gathering;
mod histogram;
mod http;
mod interval;
mod json;
mod line;
mod mail;
mod nt_hash;
mod program;
mod progress_hook;
mod protocol;
mod simulate;
mod smb_hold;
mod smb_records;
mod sort;
mod sql_session;
mod toml_lines;

use pyo3::prelude::*;

/// Headcount's load engine.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::app::{AppServer, app_statistics};
    #[pymodule_export]
    use crate::disk::{DiskBench, io_uring_unavailable};
    #[pymodule_export]
    use crate::engine::{Engine, ensure_connections, ensure_open_files, users_by_line};
    #[pymodule_export]
    use crate::front::MailFront;
    #[pymodule_export]
    use crate::gathering::Gathering;
    #[pymodule_export]
    use crate::histogram::Histogram;
    #[pymodule_export]
    use crate::http::{http_check, http_sweep_tree, http_write_tree};
    #[pymodule_export]
    use crate::interval::{FaultCount, Interval, LineCount, ScenarioCount, StepCount, TaskCount};
    #[pymodule_export]
    use crate::line::Line;
    #[pymodule_export]
    use crate::mail::mail_day;
    #[pymodule_export]
    use crate::nt_hash::nt_hash;
    #[pymodule_export]
    use crate::program::program_facts;
    #[pymodule_export]
    use crate::protocol::{cleanup, hello, plan_mistakes, prepare, task_names};
    #[pymodule_export]
    use crate::simulate::{SimulatedServer, simulate_level};
    #[pymodule_export]
    use crate::smb_hold::SmbHold;
    #[pymodule_export]
    use crate::smb_records::SmbRecords;
    #[pymodule_export]
    use crate::sort::{end_with_parent, sort_file, sort_make, sort_memory, sort_runs, sort_verify};
    #[pymodule_export]
    use crate::sql_session::SqlSession;
    #[pymodule_export]
    use crate::toml_lines::toml_lines;

    /// `release` or `debug`: what a debug build measures of itself is not worth reporting.
    #[pymodule_export]
    const PROFILE: &str = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
}
