//! Connections to SMB servers that are held, for the side that measures what they cost.

use std::sync::{Mutex, PoisonError};

use headcount_smb::SmbOptions;
use headcount_smb::client::provision::{Hold, Holding, ProvisionError};
use pyo3::prelude::*;

use crate::errors::{EngineError, raised};
use crate::json::json;
use crate::progress_hook::ProgressHook;
use crate::protocol::read;

/// Connections, connections to shares and open files on an SMB server that stay until told
/// otherwise.
#[pyclass(frozen, module = "headcount._engine")]
pub struct SmbHold {
    /// `None` once closed.
    hold: Mutex<Option<Hold>>,
}

#[pymethods]
impl SmbHold {
    /// Holds nothing yet. `target`: the engine's target (JSON).
    #[new]
    fn new(py: Python<'_>, target: &str) -> PyResult<Self> {
        let options: SmbOptions = read(target)?;
        let hold = py.detach(|| Hold::new(options)).map_err(raised)?;
        Ok(Self {
            hold: Mutex::new(Some(hold)),
        })
    }

    /// Brings what is held to so many connections, with so many connections to shares and open
    /// files each. `progress` is called with the progress (JSON) a few times a second; Ctrl-C
    /// cancels it, and what is held then stays.
    fn bring(
        &self,
        py: Python<'_>,
        connections: u32,
        trees: u32,
        files: u32,
        progress: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let holding = Holding {
            connections,
            trees,
            files,
        };
        let mut hook = ProgressHook::new(progress);
        let brought =
            py.detach(|| self.with(|hold| hold.bring(holding, &mut |how_far| hook.tell(&how_far))));
        match brought {
            Some(done) => hook.answer(done),
            None => Err(closed()),
        }
    }

    /// Asks on each connection whether the server is there; says how many answered, and what they
    /// hold (JSON).
    fn check(&self, py: Python<'_>) -> PyResult<String> {
        let checked = py.detach(|| self.with(Hold::check));
        let held = checked.ok_or_else(closed)?;
        held.map(|holding| json(&holding)).map_err(raised)
    }

    /// Closes all of it and deletes what was made for it on the server; safe to call twice.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let hold = self
                .hold
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            hold.map_or(Ok(()), |mut hold| hold.close())
        })
        .map_err(raised)
    }
}

impl SmbHold {
    fn with<T>(
        &self,
        work: impl FnOnce(&mut Hold) -> Result<T, ProvisionError>,
    ) -> Option<Result<T, ProvisionError>> {
        let mut hold = self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        hold.as_mut().map(work)
    }
}

fn closed() -> PyErr {
    EngineError::new_err("the connections are closed already")
}
