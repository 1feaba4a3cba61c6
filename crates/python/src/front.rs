//! The small SMTP server in front of LMTP.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use headcount_mail::Password;
use headcount_mail::front::{Counts, Handle, Settings, serve};
use pyo3::prelude::*;

use crate::errors::{InputError, raised};
use crate::json::json;

/// An SMTP server that hands mail to LMTP servers, running in this process until stopped.
#[pyclass(frozen, module = "headcount._engine")]
pub struct MailFront {
    running: Mutex<Running>,
    address: SocketAddr,
}

enum Running {
    Yes(Handle),
    /// Stopped, and what it had done.
    No(Counts),
}

#[pymethods]
impl MailFront {
    /// Starts it. `lmtp` is where mail goes that no route names: `HOST:PORT`, or `count`.
    #[new]
    #[pyo3(signature = (listen, lmtp, routes = Vec::new(), reject = Vec::new(), delay_ms = 0,
                        password = None))]
    fn new(
        py: Python<'_>,
        listen: &str,
        lmtp: String,
        routes: Vec<String>,
        reject: Vec<String>,
        delay_ms: u64,
        password: Option<String>,
    ) -> PyResult<Self> {
        let listen = listen.parse().map_err(|_| {
            let message = format!(
                "\"{listen}\" is not an address to listen on; write it like 127.0.0.1:2525"
            );
            InputError::new_err(message)
        })?;
        let settings = Settings {
            listen,
            lmtp,
            routes,
            reject,
            delay: Duration::from_millis(delay_ms),
            password: password.map(Password::new),
        };
        let handle = py.detach(|| serve(settings)).map_err(raised)?;
        let address = handle.address();
        Ok(Self {
            running: Mutex::new(Running::Yes(handle)),
            address,
        })
    }

    /// The address it listens on, with the real port.
    #[getter]
    fn address(&self) -> String {
        self.address.to_string()
    }

    /// What it has done so far (JSON).
    fn counts(&self) -> String {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match &*running {
            Running::Yes(handle) => json(&handle.counts()),
            Running::No(counts) => json(counts),
        }
    }

    /// Delivers what is held, closes every connection, and says what it has done (JSON).
    fn stop(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            let nothing = Running::No(Counts::default());
            let counts = match std::mem::replace(&mut *running, nothing) {
                Running::Yes(handle) => handle.stop(),
                Running::No(counts) => counts,
            };
            *running = Running::No(counts.clone());
            json(&counts)
        })
    }
}
