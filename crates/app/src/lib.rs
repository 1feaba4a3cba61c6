//! The application server and its client, modelled on Ziff-Davis `ServerBench` 4.0 as described in
//! the IBM PC Server 330 performance report (1997).
//!
//! Clients ask one server program for five kinds of work: client/server (a large request, a small
//! reply), processor (a fixed computation), server/client (a small request, a large reply), random
//! read and random write (one block of the client's own file). A bounded pool of service threads
//! does the work; when all of them are busy, requests wait, and the wait is measured.
//!
//! Both sides share the wire format ([`frame`], [`request`], [`reply`], [`message`]) and the
//! contents that make lost, damaged or mixed-up data visible ([`pattern`], [`block`], [`kernel`]).
//! [`server`] does the work, [`client`] plays virtual users against it, and [`control`] prepares
//! its data set and reads its statistics. `docs/app-protocol.md` describes the protocol.

pub mod block;
pub mod client;
pub mod control;
mod fields;
pub mod frame;
pub mod kernel;
pub mod message;
pub mod pattern;
pub mod reply;
pub mod request;
pub mod server;
pub mod statistics;
mod sync;
mod target;

pub use client::{App, AppOptions};
pub use control::ControlError;
pub use target::AppTarget;
