//! What all users of a server share.

use std::net::SocketAddr;

use headcount_load::{Blame, Blamed};
use headcount_net::{Resolved, Tls, resolve_at};

use crate::options::RedisOptions;

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RedisError {
    /// An option is invalid.
    #[error("{0}")]
    Options(String),
    /// The name does not resolve.
    #[error("\"{address}\" cannot be resolved: {error}")]
    Address {
        /// The address.
        address: String,
        /// The system's error.
        error: std::io::Error,
    },
}

impl Blamed for RedisError {
    fn blame(&self) -> Blame {
        match self {
            Self::Options(_) => Blame::Input,
            Self::Address { .. } => Blame::Target,
        }
    }
}

/// A Redis server as a target of load.
#[derive(Debug)]
pub struct Redis {
    pub(crate) options: RedisOptions,
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) tls: Option<Tls>,
}

impl Redis {
    /// Resolves the address and reads the certificates; nothing is sent.
    pub fn new(options: RedisOptions) -> Result<Self, RedisError> {
        options.data_set.check().map_err(RedisError::Options)?;
        let Resolved { host, addresses } =
            resolve_at(&options.address, &options.at).map_err(|error| RedisError::Address {
                address: options.address.clone(),
                error,
            })?;
        let tls = options
            .tls
            .then(|| Tls::new(options.tls(), &host, None))
            .transpose()
            .map_err(RedisError::Options)?;
        Ok(Self {
            options,
            addresses,
            tls,
        })
    }
}

/// The kinds of requests, as results show them.
pub const REQUESTS: &[&str] = &["AUTH", "SELECT", "GET", "SET"];
pub(crate) const AUTH: usize = 0;
pub(crate) const SELECT: usize = 1;
pub(crate) const GET: usize = 2;
pub(crate) const SET: usize = 3;
