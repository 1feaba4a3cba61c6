//! The client: virtual users who ask the application server for work.
//!
//! * [`options`]: which server and what its data set is like; [`step`] and [`sizes`]: what users ask
//!   for.
//! * `session`: one user's connection; `exchange`: its five kinds of requests; `wire`: sending and
//!   receiving through the worker's shared buffer; `memory`: what a user remembers of its own
//!   writes.

mod exchange;
mod memory;
pub mod options;
mod session;
pub mod sizes;
pub mod step;
mod wire;

use std::net::SocketAddr;

use headcount_load::{Fault, FaultKind, Protocol, User};

pub use options::AppOptions;
pub use session::AppSession;
pub use step::Step;

use crate::control::ControlError;
use crate::message::Shape;

/// The application server as a target of load.
#[derive(Debug)]
pub struct App {
    /// Tried in turn.
    addresses: Vec<SocketAddr>,
    /// As the user wrote it, for messages.
    name: String,
    shape: Shape,
    first_file: u32,
    token: String,
}

impl App {
    /// Resolves the address and checks the options. Nothing is sent: use
    /// [`crate::control::hello`] to see who is there.
    pub fn new(options: AppOptions) -> Result<Self, ControlError> {
        let shape = options.shape();
        shape.check().map_err(ControlError::Options)?;
        let addresses = crate::control::resolve(&options.address)?;
        let AppOptions {
            address: name,
            first_file,
            token,
            ..
        } = options;
        Ok(Self {
            addresses,
            name,
            shape,
            first_file,
            token: token.unwrap_or_default(),
        })
    }

    /// The number of the file that belongs to a user.
    const fn file_of(&self, user: u32) -> u32 {
        self.first_file.saturating_add(user)
    }
}

impl Protocol for App {
    type Step = Step;
    type Session = AppSession;

    async fn open(&self, user: &mut User) -> Result<AppSession, Fault> {
        let open = AppSession::open(self, user).await;
        open.map_err(|fault| match fault.kind {
            FaultKind::Login => fault,
            _ => Fault {
                message: format!("{}: {}", self.name, fault.message).into(),
                ..fault
            },
        })
    }
}
