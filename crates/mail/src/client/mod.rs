//! The client: virtual users who read and send.
//!
//! * [`step`]: what users do; [`session`]: one user; `play`: which step is played how.
//! * `commands`: steps that are one command; `loops`: the steps of `NotesBench`'s scripts.
//! * `reading`: reads a message and checks it; `sending`: composes and sends one.
//! * `own`: steps in the workload's own words, with captures and checks.
//! * `inbox`: the inbox as [`crate::day`] needs it; `places`: the other folders; `delivery`:
//!   delivery time.
//! * [`provision`]: mailboxes before and after a run.
//! * [`memory`]: state of users that outlives their sessions.

mod commands;
mod delivery;
mod inbox;
mod loops;
pub mod memory;
mod own;
mod places;
mod play;
pub mod provision;
mod reading;
mod sending;
pub mod session;
pub mod step;

use std::sync::Arc;

use headcount_load::{Blame, Blamed, Fault, Password, Pattern, Protocol, User};
use headcount_script::Identity;

pub use session::MailSession;
pub use step::Step;

use crate::endpoint::Endpoint;
use crate::ledger::Ledger;
use crate::message::Marks;
use crate::options::{MailOptions, SendOptions};
use crate::task;
use memory::Memory;

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// An option is out of bounds, or contradicts another; or a server has no address.
    #[error("{0}")]
    Options(String),
}

impl Blamed for MailError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) => Blame::Input,
        }
    }
}

/// A mail service as a target of load.
#[derive(Debug, Clone)]
pub struct Mail {
    pub(crate) shared: Arc<Shared>,
}

/// What all users share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: MailOptions,
    pub(crate) imap: Endpoint,
    pub(crate) sending: Option<(Endpoint, SendOptions)>,
    pub(crate) user: Pattern,
    pub(crate) address: Pattern,
    pub(crate) ledger: Ledger,
    pub(crate) memory: Memory,
    pub(crate) marks: Arc<Marks>,
    pub(crate) lost_after_ns: u64,
}

impl Mail {
    /// Resolves the addresses and checks the options. Nothing is sent.
    pub fn new(options: MailOptions) -> Result<Self, MailError> {
        Shared::new(options)
            .map(|shared| Self {
                shared: Arc::new(shared),
            })
            .map_err(MailError::Options)
    }
}

impl Shared {
    fn new(options: MailOptions) -> Result<Self, String> {
        options.profile.check()?;
        if !(0.0..=1.0).contains(&options.verify) {
            let share = options.verify;
            return Err(format!(
                "verify must be true, false or from 0 to 1; it is {share}"
            ));
        }
        if !(0.1..=86_400.0).contains(&options.lost_after_s) {
            let seconds = options.lost_after_s;
            return Err(format!(
                "lost_after_s must be from 0.1 to 86400; it is {seconds}"
            ));
        }
        let pattern = |option: &str, text: &str| {
            let pattern = options.logins.pattern(text);
            pattern.map_err(|error| format!("{option}: {error}"))
        };
        let (user, address) = (
            pattern("user", &options.user)?,
            pattern("address", &options.address)?,
        );
        if !address.text(0).contains('@') {
            return Err(format!(
                "address must be an address, as in {}@example.org; it is \"{}\"",
                options.user, options.address
            ));
        }
        let sending = options.send.clone().map(|sending| {
            let endpoint = Endpoint::new(&sending.server)?;
            Ok::<_, String>((endpoint, sending))
        });
        Ok(Self {
            imap: Endpoint::new(&options.imap)?,
            sending: sending.transpose()?,
            user,
            address,
            ledger: Ledger::new(options.run),
            memory: Memory::new(),
            marks: Arc::new(options.marks.clone()),
            lost_after_ns: (options.lost_after_s * 1e9) as u64,
            options,
        })
    }

    /// The password of the user with this number.
    pub(crate) fn password(&self, number: u32) -> &Password {
        self.options.logins.password(number, &self.options.password)
    }

    /// The login that texts of the user with this number refer to.
    pub(crate) fn identity(&self, number: u32) -> Identity {
        Identity {
            name: self.user.text(number).into(),
            password: self.password(number).reveal().into(),
        }
    }

    /// The number that stands in the name of a user of the run.
    pub(crate) const fn number(&self, id: u32) -> u32 {
        self.options.first_user.saturating_add(id)
    }
}

impl Protocol for Mail {
    type Step = Step;
    type Session = MailSession;
    fn requests() -> Vec<&'static str> {
        task::NAMES.to_vec()
    }

    fn tasks() -> Vec<&'static str> {
        task::NAMES.to_vec()
    }

    async fn open(&self, user: &mut User) -> Result<MailSession, Fault> {
        MailSession::open(&self.shared, user).await
    }
}
