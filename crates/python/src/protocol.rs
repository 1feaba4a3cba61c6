//! The one place that picks a protocol by name; everything below it is compiled for that protocol.

use headcount_app::{App, AppOptions};
use headcount_files::{Files, FilesOptions};
use headcount_http::{Http, HttpOptions};
use headcount_load::{Pair, Plan, Protocol, Run};
use headcount_mail::{Mail, MailOptions};
use headcount_null::{Null, Stalls};
use headcount_smb::{Smb, SmbOptions};
use headcount_sql::{Sql, SqlOptions};
use pyo3::{PyErr, PyResult, pyfunction};
use serde::Deserialize;

use crate::errors::{PlanError, of_control, of_files, of_http, of_mail, of_run, of_smb, of_sql};

/// Where the application server is and what its data set is like.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppTarget {
    address: String,
    file_bytes: u64,
    range_bytes: u64,
    seed: u64,
    #[serde(default)]
    token: Option<String>,
}

/// Two targets that the same users speak to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairTarget<A, B> {
    first: A,
    second: B,
}

/// When the imagined server of the null protocol stands still.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NullTarget {
    #[serde(default)]
    stall_every_ms: u64,
    #[serde(default)]
    stall_lasting_ms: u64,
}

/// Starts a run of `plan` against a target described by `target`, a JSON object.
pub fn start(plan: Plan, protocol: &str, target: &str) -> PyResult<Run> {
    match protocol {
        "app" => Run::start(plan, app(target)?),
        "http" => Run::start(plan, http(target)?),
        "files" => Run::start(plan, files(target)?),
        "mail" => Run::start(plan, mail(target)?),
        "mail+sql" => Run::start(plan, mail_and_sql(target)?),
        "null" => Run::start(plan, null(target)?),
        "smb" => Run::start(plan, smb(target)?),
        "sql" => Run::start(plan, sql(target)?),
        other => return Err(unknown(other)),
    }
    .map_err(|error| of_run(&error))
}

/// The names of what a protocol's sessions time inside their steps; none if they time nothing.
/// Raises `PlanError` for a protocol that the engine does not have.
#[pyfunction]
pub fn task_names(protocol: &str) -> PyResult<Vec<&'static str>> {
    match protocol {
        "app" => Ok(App::tasks()),
        "http" => Ok(Http::tasks()),
        "files" => Ok(Files::tasks()),
        "mail" => Ok(Mail::tasks()),
        "mail+sql" => Ok(Pair::<Mail, std::sync::Arc<Sql>>::tasks()),
        "null" => Ok(Null::tasks()),
        "smb" => Ok(Smb::tasks()),
        "sql" => Ok(Sql::tasks()),
        other => Err(unknown(other)),
    }
}

fn unknown(protocol: &str) -> PyErr {
    let message = format!(
        "the engine has no protocol \"{protocol}\"; it has app, files, http, mail, mail+sql, null, smb, \
         sql"
    );
    PlanError::new_err(message)
}

fn app(target: &str) -> PyResult<App> {
    let target: AppTarget = read(target)?;
    let mut options = AppOptions::new(target.address, target.seed);
    (options.file_bytes, options.range_bytes) = (target.file_bytes, target.range_bytes);
    options.token = target.token;
    App::new(options).map_err(|error| of_control(&error))
}

fn http(target: &str) -> PyResult<Http> {
    Http::new(read::<HttpOptions>(target)?).map_err(|error| of_http(&error))
}

fn files(target: &str) -> PyResult<Files> {
    Files::new(read::<FilesOptions>(target)?).map_err(|error| of_files(&error))
}

fn mail(target: &str) -> PyResult<Mail> {
    Mail::new(read::<MailOptions>(target)?).map_err(|error| of_mail(&error))
}

fn smb(target: &str) -> PyResult<Smb> {
    Smb::new(read::<SmbOptions>(target)?).map_err(|error| of_smb(&error))
}

fn sql(target: &str) -> PyResult<Sql> {
    Sql::new(read::<SqlOptions>(target)?).map_err(|error| of_sql(&error))
}

fn mail_and_sql(target: &str) -> PyResult<Pair<Mail, std::sync::Arc<Sql>>> {
    let target: PairTarget<MailOptions, SqlOptions> = read(target)?;
    let mail = Mail::new(target.first).map_err(|error| of_mail(&error))?;
    let sql = Sql::new(target.second).map_err(|error| of_sql(&error))?;
    Ok(Pair::new(mail, sql))
}

fn null(target: &str) -> PyResult<Null> {
    let target: NullTarget = read(target)?;
    if target.stall_every_ms == 0 {
        return Ok(Null::default());
    }
    if target.stall_lasting_ms >= target.stall_every_ms {
        return Err(PlanError::new_err(
            "stalls must be shorter than the time between their starts",
        ));
    }
    let ns = |ms: u64| ms * 1_000_000;
    let (every_ns, lasting_ns) = (ns(target.stall_every_ms), ns(target.stall_lasting_ms));
    Ok(Null {
        stalls: Some(Stalls {
            every_ns,
            lasting_ns,
        }),
    })
}

/// What a target (JSON) says.
pub fn read<'a, T: Deserialize<'a>>(target: &'a str) -> PyResult<T> {
    serde_json::from_str(target)
        .map_err(|error| PlanError::new_err(format!("the target cannot be used: {error}")))
}
