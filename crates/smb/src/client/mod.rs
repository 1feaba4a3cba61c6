//! The client: virtual users with their files on a share.
//!
//! * [`session`]: one user's connection, logon and shares; `logon`: how they log on.
//! * [`backend`]: what users do with files, as requests; `opening`: CREATE; `names`: requests about
//!   a name; `listing`: of a folder; [`open_file`]: an open file; `answer`: what responses mean.
//! * `survival`: reconnecting after a lost connection and reclaiming durable handles.
//! * [`provision`]: making and deleting the data sets of many users.

mod answer;
pub mod backend;
mod listing;
mod logon;
mod names;
pub mod open_file;
mod opening;
pub mod provision;
pub mod session;
mod survival;

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use headcount_load::{Blame, Blamed, Fault, Logins, Pattern, Protocol, Turns, User};
use headcount_script::Identity;
use headcount_tree::file_tree::FileTree;
use headcount_tree::session::FileSession;
use headcount_tree::step::Step;

pub use session::SmbSession;

use crate::Password;
use crate::auth::ntlm::{Key, owner_key};
use crate::connection::Wanted;
use crate::options::{EncryptionPolicy, SmbOptions};
use crate::wire::header::Command;
use crate::wire::negotiate::Dialect;
use survival::AGAIN;

/// The port of SMB over TCP (MS-SMB2 2.1).
const PORT: u16 = 445;

/// Why a target cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SmbError {
    /// The server's name does not resolve.
    #[error("the server's address {address} cannot be resolved: {error}")]
    Address {
        /// The address in the options.
        address: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// An option is out of bounds, or contradicts another.
    #[error("{0}")]
    Options(String),
}

impl Blamed for SmbError {
    fn blame(&self) -> Blame {
        match self {
            Self::Address { .. } | Self::Options(_) => Blame::Input,
        }
    }
}

/// An SMB server as a target of load.
#[derive(Debug, Clone)]
pub struct Smb {
    shared: Arc<Shared>,
}

/// What all users share.
#[derive(Debug)]
pub(crate) struct Shared {
    addresses: Vec<SocketAddr>,
    /// The server's name in paths of shares.
    host: String,
    /// The address as the user wrote it, for messages.
    name: String,
    share: Pattern,
    shares: u32,
    user: Pattern,
    domain: String,
    password: Password,
    logins: Logins,
    wanted: Wanted,
    /// Whether users ask for durable handles.
    is_durable: bool,
    tree: Arc<FileTree>,
}

impl Smb {
    /// Resolves the address and checks the options. Nothing is sent.
    pub fn new(options: SmbOptions) -> Result<Self, SmbError> {
        let wrong = |sentence: String| SmbError::Options(sentence);
        if options.dialects.is_empty() || options.algorithms.is_empty() {
            let sentence = "dialects and algorithms must each name at least one";
            return Err(SmbError::Options(sentence.into()));
        }
        let pattern = |text: &str| {
            text.parse::<Pattern>()
                .map_err(|error| wrong(error.to_string()))
        };
        let (host, addresses) = resolve(&options.address)?;
        let mut dialects = options.dialects;
        dialects.sort_unstable();
        dialects.dedup();
        let must_encrypt = options.encryption == EncryptionPolicy::Required;
        if must_encrypt && dialects == [Dialect::Smb21] {
            let sentence = "encryption is required, but dialect 2.1 has none: add 3.0.2 or 3.1.1 \
                            to dialects, or set encryption to offered";
            return Err(SmbError::Options(sentence.into()));
        }
        let tree = FileTree::new(
            &options.folder,
            options.first_user,
            options.data_set,
            options.program.as_ref(),
            options.verify,
        );
        let shared = Shared {
            addresses,
            host,
            share: pattern(&options.share)?,
            shares: options.shares,
            user: options
                .logins
                .pattern(&options.user)
                .map_err(|error| wrong(error.to_string()))?,
            name: options.address,
            domain: options.domain,
            password: options.password,
            logins: options.logins,
            wanted: Wanted {
                dialects,
                algorithms: options.algorithms,
                signing: options.signing,
                encryption: options.encryption,
            },
            is_durable: options.durable,
            tree: Arc::new(tree.map_err(wrong)?),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

impl Shared {
    /// The share of a user.
    fn share_of(&self, number: u32) -> String {
        self.share.text(match self.shares {
            0 => number,
            shares => number % shares,
        })
    }

    /// The login that a user's texts in the workload refer to.
    fn identity(&self, number: u32) -> Identity {
        Identity {
            name: self.user.text(number).into(),
            password: self.logins.password(number, &self.password).reveal().into(),
        }
    }

    /// A user's name, and the key derived from name and password.
    fn credentials(&self, number: u32) -> (String, Key) {
        let user = self.user.text(number);
        let password = self.logins.password(number, &self.password);
        let key = owner_key(&user, &self.domain, password.reveal());
        (user, key)
    }
}

fn resolve(address: &str) -> Result<(String, Vec<SocketAddr>), SmbError> {
    let with_port = |text: &str| {
        let (host, port) = text.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Some((host.to_owned(), port.parse::<u16>().ok()?))
    };
    let is_bare_v6 = address.parse::<std::net::Ipv6Addr>().is_ok();
    let named = with_port(address).filter(|_| !is_bare_v6);
    let (host, port) = named.unwrap_or_else(|| (address.to_owned(), PORT));
    let fault = |error| SmbError::Address {
        address: address.to_owned(),
        error,
    };
    let addresses: Vec<_> = (host.as_str(), port)
        .to_socket_addrs()
        .map_err(fault)?
        .collect();
    if addresses.is_empty() {
        return Err(fault(std::io::ErrorKind::NotFound.into()));
    }
    Ok((host, addresses))
}

impl Protocol for Smb {
    type Step = Step;
    type Session = FileSession<SmbSession>;
    fn requests() -> Vec<&'static str> {
        Command::NAMES.into_iter().chain(AGAIN).collect()
    }

    fn turns(&self) -> Option<Turns> {
        self.shared.tree.turns()
    }

    async fn open(&self, user: &mut User) -> Result<Self::Session, Fault> {
        let number = self.shared.tree.number(user.id());
        user.scope().renumber(number);
        if user.scope().needs_identity() {
            user.scope().identify(Some(self.shared.identity(number)));
        }
        // Boxed, so that the large logon future does not stay in every user's future.
        let session = Box::pin(SmbSession::establish(&self.shared, user)).await?;
        let tree = Arc::clone(&self.shared.tree);
        Ok(FileSession::new(tree, session.number, session))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_a_port_get_that_of_smb() {
        let resolved = |text| resolve(text).unwrap();
        assert_eq!(resolved("127.0.0.1").1[0].port(), 445);
        assert_eq!(resolved("127.0.0.1:14450").1[0].port(), 14450);
        assert_eq!(
            resolved("[::1]:7"),
            ("::1".into(), vec!["[::1]:7".parse().unwrap()])
        );
        assert_eq!(resolved("::1").1[0].port(), 445);
        assert!(resolve("no such host:1").is_err());
    }

    #[test]
    fn a_password_is_not_shown() {
        let options = SmbOptions::new("127.0.0.1", "s", "u{n}", Password::new("hunter2"));
        let shown = format!("{options:?} {:?}", Smb::new(options.clone()).unwrap());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
