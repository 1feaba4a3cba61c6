//! Long work that tells Python how far it is, and that Ctrl-C cancels.

use std::ops::ControlFlow;

use headcount_load::Blamed;
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::raised;
use crate::json::json;

/// A Python callable that is told of progress, and what it raised.
pub struct ProgressHook {
    progress: Py<PyAny>,
    raised: Option<PyErr>,
}

impl ProgressHook {
    /// Nothing told yet.
    pub fn new(progress: &Bound<'_, PyAny>) -> Self {
        Self {
            progress: progress.clone().unbind(),
            raised: None,
        }
    }

    /// Tells how far it is; to be called without the interpreter.
    pub fn tell(&mut self, how_far: &impl Serialize) -> ControlFlow<()> {
        Python::attach(|py| {
            let hook = py
                .check_signals()
                .and_then(|()| self.progress.call1(py, (json(how_far),)));
            match hook {
                Ok(_) => ControlFlow::Continue(()),
                Err(error) => {
                    self.raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    }

    /// What the work came to, as JSON: what the callable raised goes before the work's own error.
    pub fn answer<T: Serialize, E: Blamed>(self, done: Result<T, E>) -> PyResult<String> {
        match (self.raised, done) {
            (Some(error), _) => Err(error),
            (None, Ok(done)) => Ok(json(&done)),
            (None, Err(error)) => Err(raised(error)),
        }
    }
}
