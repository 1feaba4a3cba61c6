//! The one place that picks a protocol by name; everything below it is compiled for that protocol.

use headcount_app::AppTarget;
use headcount_files::FilesOptions;
use headcount_http::HttpOptions;
use headcount_load::clock::Origin;
use headcount_load::pair::PairTarget;
use headcount_load::run::RunError;
use headcount_load::target::Order;
use headcount_load::{Plan, Protocol, Run, Target};
use headcount_mail::MailOptions;
use headcount_null::NullTarget;
use headcount_redis::RedisOptions;
use headcount_smb::SmbOptions;
use headcount_sql::SqlOptions;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::errors::{PlanError, raised};
use crate::json::json;
use crate::progress_hook::ProgressHook;

/// The protocols: the name that plans have, and the type that reads their targets.
macro_rules! protocols {
    ($($name:literal => $target:ty,)*) => {
        const NAMES: &[&str] = &[$($name),*];

        /// Starts a run of `plan` against a target described by `target`, a JSON object, whose
        /// clock begins at `origin`, or now.
        pub fn start(
            plan: Plan,
            protocol: &str,
            target: &str,
            origin: Option<Origin>,
        ) -> PyResult<Run> {
            match protocol {
                $($name => {
                    let protocol = read::<$target>(target)?.protocol().map_err(raised)?;
                    Run::start_at(plan, protocol, origin).map_err(raised)
                })*
                other => Err(unknown(other)),
            }
        }

        /// All mistakes that a protocol finds in a plan (JSON): where each is (`scenarios.0.steps.2`,
        /// or `{name}` for a name without a value), and what is wrong. None if it can be played.
        #[pyfunction]
        pub fn plan_mistakes(plan: &str, protocol: &str) -> PyResult<Vec<(String, String)>> {
            let plan = Plan::from_json(plan).map_err(|error| raised(RunError::Plan(error)))?;
            let found = match protocol {
                $($name => plan.mistakes::<<<$target as Target>::Protocol as Protocol>::Step>(),)*
                other => return Err(unknown(other)),
            };
            Ok(found.into_iter().map(|one| (one.place, reason(one.error))).collect())
        }

        /// The names of what a protocol's sessions time inside their steps; none if they time
        /// nothing. Raises `PlanError` for a protocol that the engine does not have.
        #[pyfunction]
        pub fn task_names(protocol: &str) -> PyResult<Vec<&'static str>> {
            match protocol {
                $($name => Ok(<$target as Target>::Protocol::tasks()),)*
                other => Err(unknown(other)),
            }
        }

        /// Says who answers at a protocol's target (JSON), and on which terms (JSON): program,
        /// version, encryption, largest requests, free space, as far as the protocol has them.
        #[pyfunction]
        pub fn hello(py: Python<'_>, protocol: &str, target: &str) -> PyResult<String> {
            match protocol {
                $($name => {
                    let target: $target = read(target)?;
                    let hello = py.detach(|| target.hello()).map_err(raised)?;
                    Ok(json(&hello))
                })*
                other => Err(unknown(other)),
            }
        }

        /// Makes what is missing of the data of users `first` to `last` on a protocol's target
        /// (JSON); says what was done (JSON). `progress` is called with the progress (JSON) a few
        /// times a second; Ctrl-C cancels it. With `read_through` data that is there is read and
        /// made anew where it is damaged.
        #[pyfunction]
        #[pyo3(signature = (protocol, target, first, last, progress, read_through = false))]
        pub fn prepare(
            py: Python<'_>,
            protocol: &str,
            target: &str,
            first: u32,
            last: u32,
            progress: &Bound<'_, PyAny>,
            read_through: bool,
        ) -> PyResult<String> {
            let order = Order { first, last, read_through };
            let mut hook = ProgressHook::new(progress);
            match protocol {
                $($name => {
                    let target: $target = read(target)?;
                    let done = py.detach(|| target.prepare(order, &mut |far| hook.tell(&far)));
                    hook.answer(done)
                })*
                other => Err(unknown(other)),
            }
        }

        /// Deletes the data of users `first` to `last` on a protocol's target (JSON), and nothing
        /// else; says what was deleted (JSON). A protocol that keeps the data of all users together
        /// deletes all of it.
        #[pyfunction]
        pub fn cleanup(
            py: Python<'_>,
            protocol: &str,
            target: &str,
            first: u32,
            last: u32,
            progress: &Bound<'_, PyAny>,
        ) -> PyResult<String> {
            let order = Order { first, last, read_through: false };
            let mut hook = ProgressHook::new(progress);
            match protocol {
                $($name => {
                    let target: $target = read(target)?;
                    let done = py.detach(|| target.cleanup(order, &mut |far| hook.tell(&far)));
                    hook.answer(done)
                })*
                other => Err(unknown(other)),
            }
        }
    };
}

protocols! {
    "app" => AppTarget,
    "files" => FilesOptions,
    "http" => HttpOptions,
    "mail" => MailOptions,
    "mail+sql" => PairTarget<MailOptions, SqlOptions>,
    "null" => NullTarget,
    "redis" => RedisOptions,
    "smb" => SmbOptions,
    "sql" => SqlOptions,
}

fn unknown(protocol: &str) -> PyErr {
    let names = NAMES.join(", ");
    PlanError::new_err(format!(
        "the engine has no protocol \"{protocol}\"; it has {names}"
    ))
}

/// What is wrong, where its place is named beside it.
fn reason(error: headcount_load::PlanError) -> String {
    match error {
        headcount_load::PlanError::Step { reason, .. } => reason,
        other => other.to_string(),
    }
}

/// What a target (JSON) says.
pub fn read<'a, T: Deserialize<'a>>(target: &'a str) -> PyResult<T> {
    serde_json::from_str(target)
        .map_err(|error| PlanError::new_err(format!("the target cannot be used: {error}")))
}
