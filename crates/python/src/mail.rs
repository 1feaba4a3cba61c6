//! Mail services and the mailboxes on them, for the side that prepares a run.

use headcount_mail::MailOptions;
use headcount_mail::client::provision::{self, Order};
use headcount_mail::profile::{PerDay, Profile};
use pyo3::prelude::*;

use crate::errors::{PlanError, of_mail_provision};
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// What a day of users with this profile (JSON) comes to who do so much of their own accord (JSON: `new`
/// messages): the gain of their feedback, messages sent and received, and what becomes of them (JSON).
/// `PlanError` where mail would make more mail than it is.
#[pyfunction]
pub fn mail_day(profile: &str, per_day: &str) -> PyResult<String> {
    let profile: Profile = read(profile)?;
    let per_day: PerDay = read(per_day)?;
    let checked = profile.check().and_then(|()| profile.day(&per_day));
    checked
        .map(|day| json(&day))
        .map_err(|sentence| PlanError::new_err(format!("[mail]: {sentence}")))
}

/// Logs on as the first user of the target (JSON) and connects to where mail is sent; says who answers
/// and what the IMAP server offers (JSON).
#[pyfunction]
pub fn mail_hello(py: Python<'_>, target: &str) -> PyResult<String> {
    let options: MailOptions = read(target)?;
    py.detach(|| provision::hello(options))
        .map(|hello| json(&hello))
        .map_err(|error| of_mail_provision(&error))
}

/// Has the mailboxes of users `first` to `last` hold what the profile of the target (JSON) says: makes
/// what is missing, removes what runs have left; says what was done (JSON). `progress` is called with the
/// progress (JSON) a few times a second; Ctrl-C cancels it. With `read_through` messages that are there
/// are read whole and made anew where they are damaged.
#[pyfunction]
#[pyo3(signature = (target, first, last, progress, read_through = false))]
pub fn mail_prepare(
    py: Python<'_>,
    target: &str,
    first: u32,
    last: u32,
    progress: &Bound<'_, PyAny>,
    read_through: bool,
) -> PyResult<String> {
    let options: MailOptions = read(target)?;
    let order = Order {
        first,
        last,
        read_through,
    };
    let mut hook = ProgressHook::new(progress);
    let prepared = py.detach(|| provision::prepare(options, &order, &mut |far| hook.tell(&far)));
    hook.answer(prepared, of_mail_provision)
}

/// Empties the mailboxes of users `first` to `last` that bear Headcount's marker, and no others; says
/// what was deleted (JSON).
#[pyfunction]
pub fn mail_cleanup(
    py: Python<'_>,
    target: &str,
    first: u32,
    last: u32,
    progress: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let options: MailOptions = read(target)?;
    let order = Order {
        first,
        last,
        read_through: false,
    };
    let mut hook = ProgressHook::new(progress);
    let cleaned = py.detach(|| provision::cleanup(options, &order, &mut |far| hook.tell(&far)));
    hook.answer(cleaned, of_mail_provision)
}
