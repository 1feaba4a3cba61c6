//! The delay line between two network devices.

use std::io::{PipeReader, PipeWriter, pipe};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use headcount_line::{Conditions, Counter, Line as Carrier, Tap};
use pyo3::prelude::*;

use crate::errors::{InputError, SystemLimitError};
use crate::json::json;

/// Two TAP devices, and what carries packets between them with a delay; both go with it.
#[pyclass(frozen, module = "headcount._engine")]
pub struct Line {
    carrier: Mutex<(Carrier<Tap>, PipeReader)>,
    counters: [Arc<Counter>; 2],
    stop: Mutex<Option<PipeWriter>>,
}

#[pymethods]
impl Line {
    /// Makes the devices. Round trips take `latency_s` longer, by up to `jitter_s` more or less;
    /// `loss` and `reorder` are shares of packets, each way. Raises `SystemLimitError` where there
    /// may be no devices.
    #[new]
    #[pyo3(signature = (near, far, latency_s, jitter_s = 0.0, loss = 0.0, reorder = 0.0, seed = 1))]
    fn new(
        near: &str,
        far: &str,
        latency_s: f64,
        jitter_s: f64,
        loss: f64,
        reorder: f64,
        seed: u64,
    ) -> PyResult<Self> {
        let seconds = |s| Duration::try_from_secs_f64(s).ok();
        let conditions = seconds(latency_s).zip(seconds(jitter_s));
        let conditions = conditions.and_then(|(latency, jitter)| {
            Conditions::of_round_trip(latency, jitter, loss, reorder)
        });
        let conditions = conditions.ok_or_else(|| {
            InputError::new_err(
                "a line has a jitter of at most its latency, and shares from 0 to 1",
            )
        })?;
        let refused = |error: &dyn std::error::Error| SystemLimitError::new_err(error.to_string());
        let carrier =
            Carrier::between([near, far], &conditions, seed).map_err(|error| refused(&error))?;
        let (until, stop) = pipe().map_err(|error| refused(&error))?;
        Ok(Self {
            counters: carrier.counters(),
            carrier: Mutex::new((carrier, until)),
            stop: Mutex::new(Some(stop)),
        })
    }

    /// Carries packets until another thread calls `stop`. Raises `SystemLimitError` when a device is
    /// taken away.
    fn carry(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut held = self.carrier.lock().unwrap_or_else(PoisonError::into_inner);
            let (carrier, until) = &mut *held;
            carrier.carry(until)
        })
        .map_err(|error| SystemLimitError::new_err(error.to_string()))
    }

    /// What both directions did so far (JSON); the latest is since the last call.
    fn counts(&self) -> String {
        let [out, back] = &self.counters;
        json(&(out.take() + back.take()))
    }

    /// Ends `carry`; safe to call twice.
    fn stop(&self) {
        self.stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }
}
