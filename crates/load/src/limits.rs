//! What the system allows this process, checked before users run into it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File handles the process needs beside its users' connections: logs, results, the runtime.
const RESERVE: u64 = 100;

/// The system does not allow enough of something, and how to change that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Too few file handles even at the hard limit.
    #[error(
        "{users} users need {needed} file handles, but this process may open {allowed}; \
         raise the limit first: ulimit -n {needed} (as root: prlimit --nofile={needed} --pid $$)"
    )]
    FileHandles {
        /// Users asked for.
        users: u64,
        /// File handles they need.
        needed: u64,
        /// The hard limit.
        allowed: u64,
    },
    /// Fewer local ports than connections to one server address.
    #[error(
        "{users} users need as many local ports to one server address, but the system offers \
         {allowed}; widen the range: sysctl net.ipv4.ip_local_port_range=\"1024 65535\", or let \
         users connect from several addresses of this machine: --local-ips"
    )]
    Ports {
        /// Users asked for.
        users: u64,
        /// Ports in the range, times the addresses.
        allowed: u64,
    },
}

/// Makes sure that `users` users can have `each` connections open at a time, one of them to the
/// same address, from `addresses` addresses of this machine. Raises the soft limit of file handles
/// as far as needed and allowed.
pub fn ensure_connections(users: u64, each: u64, addresses: u64) -> Result<(), LimitError> {
    ensure_handles(users, users.saturating_mul(each))?;
    match local_ports().map(|ports| ports.saturating_mul(addresses)) {
        Some(allowed) if users > allowed => Err(LimitError::Ports { users, allowed }),
        _ => Ok(()),
    }
}

/// Makes sure that `users` users can have `each` files open at a time; see [`ensure_connections`].
pub fn ensure_open_files(users: u64, each: u64) -> Result<(), LimitError> {
    ensure_handles(users, users.saturating_mul(each))
}

fn ensure_handles(users: u64, handles: u64) -> Result<(), LimitError> {
    let needed = handles.saturating_add(RESERVE);
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(u64::MAX);
    if needed > allowed {
        return Err(LimitError::FileHandles {
            users,
            needed,
            allowed,
        });
    }
    if limit.current.is_some_and(|current| current < needed) {
        let raised = Rlimit {
            current: Some(needed.max(allowed.min(65_536))),
            ..limit
        };
        if setrlimit(Resource::Nofile, raised).is_err() {
            let allowed = limit.current.unwrap_or(u64::MAX);
            return Err(LimitError::FileHandles {
                users,
                needed,
                allowed,
            });
        }
    }
    Ok(())
}

fn local_ports() -> Option<u64> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut bounds = range.split_whitespace().map(str::parse::<u64>);
    let (low, high) = (bounds.next()?.ok()?, bounds.next()?.ok()?);
    Some((high + 1).saturating_sub(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_with_several_connections_need_a_handle_for_each() {
        let error = ensure_connections(1 << 30, 3, 1).unwrap_err().to_string();
        assert!(error.contains("need 3221225572 file handles"), "{error}");
    }

    #[test]
    fn users_with_several_open_files_need_a_handle_for_each() {
        assert_eq!(ensure_open_files(10, 4), Ok(()));
        let error = ensure_open_files(1 << 30, 4).unwrap_err().to_string();
        assert!(error.contains("need 4294967396 file handles"), "{error}");
    }

    #[test]
    fn a_few_users_are_always_possible_and_absurd_numbers_are_refused_with_the_fix() {
        assert_eq!(ensure_connections(10, 1, 1), Ok(()));
        let error = ensure_connections(1 << 40, 1, 1).unwrap_err();
        assert!(
            error.to_string().contains("raise the limit first"),
            "{error}"
        );
    }
}
