//! The addresses of this machine that users connect from, where a run names some.
//!
//! Where users are on lines, each line has an address, which its users share. Otherwise a server
//! sees a client for each address, and each address adds its own range of local ports. A user keeps
//! its address as long as it plays, as a person's machine does.

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, SocketAddr};

thread_local! {
    /// The addresses of this thread's worker; if empty, the system chooses.
    static ADDRESSES: RefCell<Vec<IpAddr>> = const { RefCell::new(Vec::new()) };
    /// The user being polled, counted from 0 within the worker; or its line.
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// Makes the users of this worker's thread connect from these addresses.
pub(crate) fn set_addresses(addresses: &[IpAddr]) {
    ADDRESSES.set(addresses.to_vec());
}

/// Sets which user is polled next, by its number within the worker or by its line.
pub(crate) fn set_turn(turn: usize) {
    TURN.set(turn);
}

/// The address from which the user being polled connects to `server`; `None` if the system chooses.
#[must_use]
pub fn local_address(server: &SocketAddr) -> Option<IpAddr> {
    ADDRESSES.with_borrow(|addresses| {
        let fits = |one: &&IpAddr| one.is_ipv4() == server.is_ipv4();
        let number = addresses.iter().filter(fits).count();
        let turn = TURN.get().checked_rem(number)?;
        addresses.iter().filter(fits).nth(turn).copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_take_the_addresses_that_fit_in_turn() {
        let here = ["10.0.0.1", "::1", "10.0.0.2"].map(|one| one.parse().unwrap());
        let server: SocketAddr = "10.0.0.9:80".parse().unwrap();
        assert_eq!(local_address(&server), None);
        set_addresses(&here);
        let found = [0, 1, 2, 7].map(|turn| {
            set_turn(turn);
            local_address(&server)
        });
        assert_eq!(found, [here[0], here[2], here[0], here[2]].map(Some));
        assert_eq!(local_address(&"[::2]:80".parse().unwrap()), Some(here[1]));
        set_addresses(&here[1..2]);
        assert_eq!(local_address(&server), None);
    }
}
