//! A client of HTTP/1.1, HTTP/2 and HTTP/3, made for tens of thousands of users in one process, and
//! a data set of pages whose every byte can be checked.
//!
//! `docs/http.md` lists the parts of RFC 9110, 9112, 9113 and 9114 that it implements. Read the
//! modules in this order:
//!
//! * [`options`]: the server, the users and the protocol; [`base`]: the server's address.
//! * [`pages`]: the data set.
//! * [`client`]: virtual users and their steps.
//! * [`connection`]: one connection, plain or over TLS; [`wire`]: answers of HTTP/1.1 as bytes.

pub mod base;
pub mod client;
pub mod connection;
pub mod options;
pub mod pages;
mod target;
pub mod wire;

pub use client::{Http, HttpError, HttpSession, Step};
pub use headcount_load::Password;
pub use headcount_load::pattern::{self, Pattern};
pub use options::HttpOptions;
