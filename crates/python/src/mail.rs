//! What users of mail do in a day, before a run.

use headcount_mail::profile::{PerDay, Profile};
use pyo3::prelude::*;

use crate::errors::PlanError;
use crate::json::json;
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
