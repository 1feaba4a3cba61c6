//! Users of a PostgreSQL database, each with a connection of their own.
//!
//! * [`options`]: which server and database, as whom, and in which way; [`authentication`]: how the
//!   server may authenticate the user; [`logon`]: how it is answered; [`end_point`]: what a proof
//!   is bound to.
//! * [`data_set`]: the initial contents of the schema; [`checksum`]: checksums of its rows.
//! * [`step`]: what users do; [`session`]: how a connection does it; [`task`]: what is timed.
//!   [`statement`]: statements from the workload; `received`: what is taken from their rows;
//!   [`copy`]: COPYs; [`transaction`]: transactions of several steps.
//! * [`frames`]: what a server may send; [`answer`] and [`copy_answer`]: in which order; [`row`]:
//!   what rows contain; [`parameter`]: parameters of statements.
//! * [`provision`]: making, checking and deleting the schema; [`questions`]: a connection beside the
//!   load.

pub mod answer;
mod asking;
pub mod authentication;
pub mod checksum;
pub mod client;
pub mod copy;
pub mod copy_answer;
pub mod data_set;
mod encryption;
pub mod end_point;
mod fault;
pub mod frames;
pub mod logon;
pub mod options;
pub mod parameter;
pub mod provision;
pub mod questions;
mod received;
mod refusal;
pub mod row;
pub mod session;
pub mod statement;
pub mod step;
mod target;
pub mod task;
pub mod text;
pub mod transaction;
mod wire;

pub use authentication::{ChannelBinding, Method, RequireAuth};
pub use client::{Sql, SqlError};
pub use headcount_load::Password;
pub use options::{SqlOptions, SslMode, Statements};
pub use session::SqlSession;
