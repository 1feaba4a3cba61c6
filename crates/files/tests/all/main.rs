//! The integration tests of this crate, in one program: linking one takes as long as compiling most.

#[path = "../common/mod.rs"]
mod common;

mod engine;
mod failures;
mod links;
mod looks;
mod own;
mod program;
mod provision;
mod steps;
