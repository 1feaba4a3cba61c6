//! The integration tests of this crate, in one program: linking one takes as long as compiling
//! most.

#[path = "../common/mod.rs"]
mod common;

mod engine;
mod machines;
mod moments;
mod script;
mod tasks;
mod truth;
mod turns;
