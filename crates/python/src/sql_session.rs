//! Sessions with databases, for the side that asks what servers say of themselves.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use headcount_sql::SqlOptions;
use headcount_sql::questions::{Questions, Row};
use pyo3::prelude::*;

use crate::errors::{EngineError, raised};
use crate::protocol::read;

/// A session with a database, for a question now and then.
#[pyclass(frozen, module = "headcount._engine")]
pub struct SqlSession {
    /// `None` once closed.
    questions: Mutex<Option<Questions>>,
}

#[pymethods]
impl SqlSession {
    /// Logs on to the engine's target (JSON). Raises `TargetError` where that takes longer than
    /// `patience_s`, `InputError` where the role is not let in.
    #[new]
    fn new(py: Python<'_>, target: &str, patience_s: f64) -> PyResult<Self> {
        let options: SqlOptions = read(target)?;
        let patience = Duration::from_secs_f64(patience_s.clamp(0.0, 3600.0));
        let questions = py
            .detach(|| Questions::open(options, patience))
            .map_err(raised)?;
        Ok(Self {
            questions: Mutex::new(Some(questions)),
        })
    }

    /// The rows of all statements together, as text; `None` for NULL. Raises `TargetError` where
    /// the server refuses, or takes longer than the patience.
    fn ask(&self, py: Python<'_>, statements: &str) -> PyResult<Vec<Row>> {
        let asked = py.detach(|| {
            let mut questions = self
                .questions
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            questions.as_mut().map(|open| open.ask(statements))
        });
        asked
            .ok_or_else(|| EngineError::new_err("this session has been closed"))?
            .map_err(raised)
    }

    /// Ends it; safe to call twice.
    fn close(&self, py: Python<'_>) {
        let questions = self
            .questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        py.detach(|| drop(questions));
    }
}
