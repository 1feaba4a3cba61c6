//! Tests of the line without devices.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "whatever fails, fails the test"
)]

mod line;
mod queue;
mod schedule;
