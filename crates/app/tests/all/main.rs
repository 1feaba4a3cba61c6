//! The integration tests of this crate, in one program: linking one takes as long as compiling most.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod data_set;
mod engine;
mod fuzz;
mod hostile;
mod impostor;
mod work;
