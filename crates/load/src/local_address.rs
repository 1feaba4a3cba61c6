//! The addresses of this machine that users connect from, where a run names some.
//!
//! Where users are on lines, each line has an address, and its users have the same one. Else a server
//! sees as many clients, and there are as many times more ports to connect from. A user has
//! one address as long as it plays, as a person's machine has.

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, SocketAddr};

thread_local! {
    /// Those of this thread's worker; none leaves the choice to the system.
    static ADDRESSES: RefCell<Vec<IpAddr>> = const { RefCell::new(Vec::new()) };
    /// Which of the worker's users is played at the moment, counted from 0; or its line.
    static TURN: Cell<usize> = const { Cell::new(0) };
}

/// This thread is a worker, whose users connect from these addresses.
pub(crate) fn set_addresses(addresses: &[IpAddr]) {
    ADDRESSES.set(addresses.to_vec());
}

/// What follows is done by this one of the worker's users, or by one on this line.
pub(crate) fn set_turn(turn: usize) {
    TURN.set(turn);
}

/// What the user that is played at the moment connects from to reach `server`; `None` leaves it to
/// the system.
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
