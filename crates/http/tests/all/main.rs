//! The integration tests of this crate, in one program: linking one takes as long as compiling
//! most.

#[path = "../common/mod.rs"]
mod common;

mod digest;
mod engine;
mod failures;
mod fuzz;
mod http2;
mod http3;
mod inspect;
mod kept;
mod oddities;
mod options;
mod pages;
mod requests;
mod steps;
mod sweep;
mod trust;
