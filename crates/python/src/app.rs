//! The application server and the calls to it, for the side that prepares and observes.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use headcount_app::control::{self, Target};
use headcount_app::message::{Order, Shape};
use headcount_app::server::{Handle, Settings, Threads, WriteMode, serve};
use pyo3::prelude::*;

use crate::errors::{InputError, of_control, of_serve};
use crate::json::json;
use crate::progress_hook::ProgressHook;

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
                "\"{write_mode}\" is no write mode: buffered, dsync, direct"
            ))
        })?;
        settings.limits.connections = connections;
        settings.token = token;
        let handle = py
            .detach(|| serve(settings))
            .map_err(|error| of_serve(&error))?;
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

/// Who answers at the address: version, processors, threads, write mode, process (JSON).
#[pyfunction]
#[pyo3(signature = (address, token = None))]
pub fn app_hello(py: Python<'_>, address: &str, token: Option<String>) -> PyResult<String> {
    // Whoever only says hello to a mute server should not wait as long as for a data set.
    let target = Target {
        timeout: std::time::Duration::from_secs(10),
        ..target(address, token)
    };
    py.detach(|| control::hello(&target))
        .map(|hello| json(&hello))
        .map_err(|e| of_control(&e))
}

/// What the server has done since it started (JSON).
#[pyfunction]
#[pyo3(signature = (address, token = None))]
pub fn app_statistics(py: Python<'_>, address: &str, token: Option<String>) -> PyResult<String> {
    let target = target(address, token);
    py.detach(|| control::statistics(&target))
        .map(|s| json(&s))
        .map_err(|e| of_control(&e))
}

/// Deletes the data set, and nothing else; says what was deleted (JSON).
#[pyfunction]
#[pyo3(signature = (address, token = None))]
pub fn app_cleanup(py: Python<'_>, address: &str, token: Option<String>) -> PyResult<String> {
    let target = target(address, token);
    py.detach(|| control::cleanup(&target))
        .map(|c| json(&c))
        .map_err(|e| of_control(&e))
}

/// Makes the files of users `first` to `last`, or verifies those that are there; says what was done
/// (JSON). `progress` is called with the progress (JSON) a few times a second; Ctrl-C cancels it.
/// With `read_through` existing files are read whole and repaired where damaged.
#[pyfunction]
#[pyo3(signature = (address, first, last, file_bytes, range_bytes, seed, progress,
                    read_through = false, token = None))]
#[expect(clippy::too_many_arguments, reason = "named by the Python caller")]
pub fn app_prepare(
    py: Python<'_>,
    address: &str,
    first: u32,
    last: u32,
    file_bytes: u64,
    range_bytes: u64,
    seed: u64,
    progress: &Bound<'_, PyAny>,
    read_through: bool,
    token: Option<String>,
) -> PyResult<String> {
    let order = Order {
        first,
        last,
        shape: Shape {
            seed,
            file_bytes,
            range_bytes,
        },
        read_through,
    };
    let target = target(address, token);
    let mut hook = ProgressHook::new(progress);
    let prepared = py.detach(|| control::prepare(&target, &order, |far| hook.tell(&far)));
    hook.answer(prepared, of_control)
}

fn target(address: &str, token: Option<String>) -> Target {
    Target {
        token,
        ..Target::new(address)
    }
}
