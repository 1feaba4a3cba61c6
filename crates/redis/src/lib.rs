//! The Redis client: virtual users who read and write keys, alone or several in a pipeline.
//!
//! * [`options`]: which server, as whom, and what is in it; [`step`]: what users do; [`keys`]:
//!   which keys they draw; [`value`]: what a key holds.
//! * [`resp`]: RESP2, the protocol; [`wire`]: its bytes through buffers that users share; `reach`:
//!   where a reply that arrives in pieces ends.
//! * [`client`] and [`session`]: what users share, and one user's connection.
//! * [`provision`]: makes and deletes the data set; `target`: Redis as a target of load.

pub mod client;
pub mod keys;
pub mod options;
pub mod provision;
mod reach;
pub mod resp;
pub mod session;
pub mod step;
mod target;
pub mod value;
pub mod wire;

pub use client::{Redis, RedisError};
pub use options::{DataSet, RedisOptions};
pub use session::RedisSession;
pub use step::RedisStep;
