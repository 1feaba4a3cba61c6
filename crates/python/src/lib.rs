//! The binding `headcount._engine`: conversion between the engine and Python, no logic.

mod app;
mod disk;
mod engine;
mod errors;
mod files;
mod front;
mod histogram;
mod http;
mod interval;
mod json;
mod mail;
mod program;
mod progress_hook;
mod protocol;
mod simulate;
mod smb;
mod smb_hold;
mod sort;
mod sql;

use pyo3::prelude::*;

/// Headcount's load engine.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::app::{AppServer, app_cleanup, app_hello, app_prepare, app_statistics};
    #[pymodule_export]
    use crate::disk::{DiskBench, io_uring_unavailable};
    #[pymodule_export]
    use crate::engine::{Engine, ensure_connections, ensure_open_files};
    #[pymodule_export]
    use crate::files::{files_cleanup, files_hello, files_prepare};
    #[pymodule_export]
    use crate::front::MailFront;
    #[pymodule_export]
    use crate::histogram::Histogram;
    #[pymodule_export]
    use crate::http::{http_check, http_hello, http_sweep_tree, http_write_tree};
    #[pymodule_export]
    use crate::interval::{FaultCount, Interval, ScenarioCount, StepCount, TaskCount};
    #[pymodule_export]
    use crate::mail::{mail_cleanup, mail_day, mail_hello, mail_prepare};
    #[pymodule_export]
    use crate::program::program_facts;
    #[pymodule_export]
    use crate::protocol::task_names;
    #[pymodule_export]
    use crate::simulate::simulate_level;
    #[pymodule_export]
    use crate::smb::{smb_cleanup, smb_hello, smb_prepare};
    #[pymodule_export]
    use crate::smb_hold::SmbHold;
    #[pymodule_export]
    use crate::sort::{end_with_parent, sort_file, sort_make, sort_memory, sort_runs, sort_verify};
    #[pymodule_export]
    use crate::sql::{sql_cleanup, sql_hello, sql_prepare};

    /// `release` or `debug`: what a debug build measures of itself is not worth reporting.
    #[pymodule_export]
    const PROFILE: &str = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
}
