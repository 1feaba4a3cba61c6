//! Records on SMB servers, for the side that asks whether a server keeps what it acknowledged.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use headcount_smb::SmbOptions;
use headcount_smb::client::provision::{ProvisionError, Records};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{EngineError, raised};
use crate::protocol::read;

/// Files of records in a folder beside those of the users, which bears Headcount's marker.
#[pyclass(frozen, module = "headcount._engine")]
pub struct SmbRecords {
    /// `None` once closed.
    records: Mutex<Option<Arc<Records>>>,
}

#[pymethods]
impl SmbRecords {
    /// Logs on to the engine's target (JSON) as the first user. Raises `TargetError` where that or
    /// any request below takes longer than `patience_s`, `InputError` where the user is not let in or
    /// the folder is not Headcount's.
    #[new]
    fn new(py: Python<'_>, target: &str, patience_s: f64) -> PyResult<Self> {
        let options: SmbOptions = read(target)?;
        let patience = Duration::from_secs_f64(patience_s.clamp(0.0, 3600.0));
        let records = py
            .detach(|| Records::open(options, patience))
            .map_err(raised)?;
        Ok(Self {
            records: Mutex::new(Some(Arc::new(records))),
        })
    }

    /// Has an empty folder.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Records::clear)
    }

    /// Writes these bytes of a file, which is made if it is missing; returns when the server has
    /// acknowledged them.
    fn write(&self, py: Python<'_>, name: String, offset: u64, data: Vec<u8>) -> PyResult<()> {
        self.with(py, |records| records.write(name, offset, data))
    }

    /// The last bytes of a file, or all of it; nothing of one that is missing.
    #[pyo3(signature = (name, last=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        name: String,
        last: Option<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let found = self.with(py, |records| records.read(name, last))?;
        Ok(PyBytes::new(py, &found))
    }

    /// The names of all files.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, Records::names)
    }

    /// Deletes the folder.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, Records::remove)
    }

    /// Logs off; safe to call twice.
    fn close(&self, py: Python<'_>) {
        let records = self.held().take();
        py.detach(|| drop(records));
    }
}

impl SmbRecords {
    fn held(&self) -> std::sync::MutexGuard<'_, Option<Arc<Records>>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Records) -> Result<T, ProvisionError> + Send,
    ) -> PyResult<T> {
        let records = self.held().clone();
        let records =
            records.ok_or_else(|| EngineError::new_err("this session has been closed"))?;
        py.detach(|| work(&records)).map_err(raised)
    }
}
