//! Disks, measured from Python: a test file, and one cell after the other.

use std::sync::{Mutex, PoisonError};

use headcount_disk::file::Kept;
use headcount_disk::{Bench, Cell, DiskError, Setup};
use pyo3::prelude::*;

use crate::errors::{EngineError, InputError, raised};
use crate::progress_hook::ProgressHook;

/// A test file on a disk. It has no name, and is gone when this is closed or the process ends.
#[pyclass(frozen, module = "headcount._engine")]
pub struct DiskBench {
    /// `None` once closed.
    bench: Mutex<Option<Bench>>,
    kept: Kept,
}

#[pymethods]
impl DiskBench {
    /// Makes the test file of a setup (JSON), empty.
    #[new]
    fn new(py: Python<'_>, setup: &str) -> PyResult<Self> {
        let setup: Setup = serde_json::from_str(setup).map_err(|error| {
            InputError::new_err(format!("this is not a setup of a test file: {error}"))
        })?;
        let bench = py.detach(|| Bench::open(setup));
        let bench = bench.map_err(raised)?;
        Ok(Self {
            kept: bench.kept(),
            bench: Mutex::new(Some(bench)),
        })
    }

    /// Where the file system keeps its files: `disk`, `memory`, or `elsewhere` (a network mount, a
    /// program).
    #[getter]
    fn kept(&self) -> &'static str {
        match self.kept {
            Kept::Disk => "disk",
            Kept::Memory => "memory",
            Kept::Elsewhere => "elsewhere",
        }
    }

    /// Writes the whole file. `progress` is called with the progress (JSON) ten times a second;
    /// Ctrl-C cancels it.
    fn fill(&self, py: Python<'_>, progress: &Bound<'_, PyAny>) -> PyResult<()> {
        self.work(py, progress, |bench, hook| {
            bench.fill(|far| hook.tell(&far))
        })?;
        Ok(())
    }

    /// Measures a cell (JSON); returns its figures (JSON). `progress` as for `fill`.
    fn measure(&self, py: Python<'_>, cell: &str, progress: &Bound<'_, PyAny>) -> PyResult<String> {
        let cell: Cell = serde_json::from_str(cell)
            .map_err(|error| InputError::new_err(format!("this is not a cell: {error}")))?;
        self.work(py, progress, |bench, hook| {
            bench.measure(&cell, |far| hook.tell(&far))
        })
    }

    /// Gives the test file up. Further calls fail.
    fn close(&self, py: Python<'_>) {
        let bench = self
            .bench
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        py.detach(|| drop(bench));
    }
}

impl DiskBench {
    fn work<T: serde::Serialize + Send>(
        &self,
        py: Python<'_>,
        progress: &Bound<'_, PyAny>,
        work: impl FnOnce(&mut Bench, &mut ProgressHook) -> Result<T, DiskError> + Send,
    ) -> PyResult<String> {
        let mut hook = ProgressHook::new(progress);
        let done = py.detach(|| {
            let mut bench = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
            bench.as_mut().map(|bench| work(bench, &mut hook))
        });
        let closed = || EngineError::new_err("this test file has been closed");
        hook.answer(done.ok_or_else(closed)?)
    }
}

/// Why `io_uring` cannot be used here, and what to do; None if it can.
#[pyfunction]
pub fn io_uring_unavailable() -> Option<String> {
    let available = headcount_ring::available();
    available.err().map(|reason| reason.to_string())
}
