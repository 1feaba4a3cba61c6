//! Gives a socket the address that it connects from, and leaves its port to `connect`.
//!
//! A plain `bind` takes a port that nobody else at that address has, whoever they speak to, and that
//! no closed connection waits in: 28,000 in all. Bound late, a port is free as long as no connection
//! to the same server has it (`IP_BIND_ADDRESS_NO_PORT`, ip(7)).

use std::ffi::c_int;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd};

/// Has a TCP socket connect from `address`; its port is chosen when it connects.
pub fn bind_address(socket: &impl AsFd, address: IpAddr) -> io::Result<()> {
    leave_port(socket)?;
    Ok(rustix::net::bind(socket, &SocketAddr::new(address, 0))?)
}

fn leave_port(socket: &impl AsFd) -> io::Result<()> {
    let (level, name, on) = (libc::IPPROTO_IP, libc::IP_BIND_ADDRESS_NO_PORT, 1 as c_int);
    let size = libc::socklen_t::try_from(size_of_val(&on)).map_err(io::Error::other)?;
    let socket = socket.as_fd().as_raw_fd();
    #[expect(unsafe_code, reason = "neither std nor rustix has the option")]
    // SAFETY: the descriptor is borrowed for the call, and `on` outlives it and has that size.
    let answer = unsafe { libc::setsockopt(socket, level, name, (&raw const on).cast(), size) };
    if answer == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use rustix::net::{AddressFamily, SocketType, connect, getsockname, socket};

    use super::*;

    fn port_of(socket: &impl AsFd) -> SocketAddr {
        getsockname(socket).unwrap().try_into().unwrap()
    }

    #[test]
    fn a_socket_connects_from_its_address_and_has_no_port_before() {
        for (family, any, from) in [
            (AddressFamily::INET, "127.0.0.1:0", "127.0.0.9"),
            (AddressFamily::INET6, "[::1]:0", "::1"),
        ] {
            let listener = TcpListener::bind(any).unwrap();
            let from: IpAddr = from.parse().unwrap();
            let socket = socket(family, SocketType::STREAM, None).unwrap();
            bind_address(&socket, from).unwrap();
            assert_eq!(port_of(&socket).port(), 0);
            connect(&socket, &listener.local_addr().unwrap()).unwrap();
            let (_, peer) = listener.accept().unwrap();
            assert_eq!(peer.ip(), from);
            assert_eq!(peer, port_of(&socket));
        }
    }

    #[test]
    fn an_address_of_another_machine_is_refused() {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        let error = bind_address(&socket, "192.0.2.1".parse().unwrap()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
    }
}
