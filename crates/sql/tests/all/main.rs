//! The integration tests of this crate, in one program: linking one takes as long as compiling most.

#[path = "../common/mod.rs"]
mod common;

mod copy;
mod failures;
mod journeys;
mod lying;
mod provision;
mod steps;
