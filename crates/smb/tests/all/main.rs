//! The integration tests of this crate, in one program: linking one takes as long as compiling
//! most.

#[path = "../common/mod.rs"]
mod common;

mod data_set;
mod dialects;
mod downgrades;
mod durable;
mod encryption;
mod engine;
mod failures;
mod full_disk;
mod fuzz;
mod hold;
mod inspect;
mod own;
mod program;
mod provision;
mod sessions;
mod steps;
mod tampering;
