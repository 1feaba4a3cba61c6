//! Where a server is: the addresses that a name stands for.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

/// A server's name, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The name or address without its port, nor the brackets of IPv6: what a certificate is for.
    pub host: String,
    /// At least one, in the order in which they are tried.
    pub addresses: Vec<SocketAddr>,
}

/// Resolves `host:port` or `[address]:port`; waits for the name server.
pub fn resolve(address: &str) -> io::Result<Resolved> {
    let addresses: Vec<_> = address.to_socket_addrs()?.collect();
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
    fn what_is_no_address_is_an_error() {
        for address in ["no such host:143", "127.0.0.1", "127.0.0.1:x", ""] {
            assert!(resolve(address).is_err(), "{address}");
        }
    }
}
