//! The application server and the calls to it, for the side that prepares and observes.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use headcount_app::control::{self, Target};
use headcount_app::server::{Handle, Settings, Threads, WriteMode, serve};
use pyo3::prelude::*;

use crate::errors::{InputError, raised};
use crate::json::json;

/// The application server, running in this process until stopped.
#[pyclass(frozen, module = "headcount._engine")]
pub struct AppServer {
    /// `None` once stopped.
    handle: Mutex<Option<Handle>>,
    address: SocketAddr,
}

#[pymethods]
impl AppServer {
    /// Starts it. `threads` 0 takes `ServerBench`'s rule (up to 47, and one for each processor).
    #[new]
    #[pyo3(signature = (listen, data, threads = 0, write_mode = "buffered", connections = 4096,
                        token = None))]
    fn new(
        py: Python<'_>,
        listen: &str,
        data: &str,
        threads: u16,
        write_mode: &str,
        connections: usize,
        token: Option<String>,
    ) -> PyResult<Self> {
        let mut settings = Settings::new(data);
        settings.listen = listen.parse().map_err(|_| {
            let message = format!(
                "\"{listen}\" is not an address to listen on; write it like 127.0.0.1:7410"
            );
            InputError::new_err(message)
        })?;
        settings.threads = if threads == 0 {
            Threads::ServerBench
        } else {
            Threads::Fixed(threads)
        };
        settings.write_mode = WriteMode::from_name(write_mode).ok_or_else(|| {
            InputError::new_err(format!(
                "\"{write_mode}\" is not a write mode; use buffered, dsync or direct"
            ))
        })?;
        settings.limits.connections = connections;
        settings.token = token;
        let handle = py.detach(|| serve(settings)).map_err(raised)?;
        let address = handle.address();
        Ok(Self {
            handle: Mutex::new(Some(handle)),
            address,
        })
    }

    /// The address it listens on, with the real port.
    #[getter]
    fn address(&self) -> String {
        self.address.to_string()
    }

    /// Closes every connection and joins every thread.
    fn stop(&self, py: Python<'_>) {
        let handle = self
            .handle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        py.detach(|| drop(handle));
    }
}

/// How long a server may take to say what it has done. It is asked each second of a run, which must
/// not wait for one that has fallen silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the server has done since it started (JSON).
#[pyfunction]
#[pyo3(signature = (address, token = None))]
pub fn app_statistics(py: Python<'_>, address: &str, token: Option<String>) -> PyResult<String> {
    let target = Target {
        token,
        timeout: PATIENCE,
        ..Target::new(address)
    };
    py.detach(|| control::statistics(&target))
        .map(|s| json(&s))
        .map_err(raised)
}
