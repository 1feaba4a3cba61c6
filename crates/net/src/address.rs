//! Where a server is: the addresses that a name stands for.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

/// A server's name, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The name or address without its port and the brackets of IPv6: what a certificate must be
    /// for.
    pub host: String,
    /// At least one, in the order in which to try them.
    pub addresses: Vec<SocketAddr>,
}

/// Resolves `host:port` or `[address]:port`. Blocks until the name server answers.
pub fn resolve(address: &str) -> io::Result<Resolved> {
    resolve_at(address, &[])
}

/// As [`resolve`], but takes the addresses in `at` if there are any. A name that is resolved again
/// may lead to a machine that nobody has agreed to load.
pub fn resolve_at(address: &str, at: &[SocketAddr]) -> io::Result<Resolved> {
    let addresses: Vec<_> = if at.is_empty() {
        address.to_socket_addrs()?.collect()
    } else {
        at.to_vec()
    };
    if addresses.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_matches(['[', ']']).to_owned();
    Ok(Resolved { host, addresses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_neither_port_nor_brackets() {
        for (address, host) in [("127.0.0.1:80", "127.0.0.1"), ("[::1]:6379", "::1")] {
            let found = resolve(address).unwrap();
            assert_eq!(found.host, host);
            assert_eq!(found.addresses, [address.parse().unwrap()]);
        }
    }

    #[test]
    fn a_name_with_known_addresses_is_not_resolved() {
        let at = ["127.0.0.1:5".parse().unwrap()];
        let found = resolve_at("no such host:143", &at).unwrap();
        assert_eq!(
            (found.host.as_str(), found.addresses),
            ("no such host", at.to_vec())
        );
    }

    #[test]
    fn invalid_addresses_are_errors() {
        for address in ["no such host:143", "127.0.0.1", "127.0.0.1:x", ""] {
            assert!(resolve(address).is_err(), "{address}");
        }
    }
}
