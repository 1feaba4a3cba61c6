//! Whether this system lets a program use `io_uring`, and what to do if it does not.

use std::io;

use io_uring::{IoUring, Probe, opcode};
use rustix::io::Errno;

/// Why `io_uring` cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The kernel does not support it, or not enough of it.
    #[error("this kernel is too old for io_uring (Linux 5.11 or later has what is needed)")]
    OldKernel,
    /// The administrator has switched it off.
    #[error(
        "io_uring is switched off here (sysctl kernel.io_uring_disabled is {value}); \
         as root: sysctl kernel.io_uring_disabled=0"
    )]
    SwitchedOff {
        /// 1: for unprivileged processes; 2: for all.
        value: u8,
    },
    /// The kernel supports it, but something else forbids it.
    #[error(
        "io_uring is forbidden to this process, most likely by the seccomp profile of a container; \
         start it with a profile that allows io_uring_setup, io_uring_enter and io_uring_register"
    )]
    Forbidden,
    /// Anything else.
    #[error("io_uring does not start here: {0}")]
    Other(Errno),
}

/// Checks that [`Ring`](crate::Ring) works here, by trying a ring of one request.
pub fn available() -> Result<(), Unavailable> {
    let ring = IoUring::new(1).map_err(|error| explain(&error, switched_off()))?;
    let mut probe = Probe::new();
    let known = ring.submitter().register_probe(&mut probe);
    known.map_err(|error| explain(&error, switched_off()))?;
    let needed = [
        opcode::Read::CODE,
        opcode::Write::CODE,
        opcode::ReadFixed::CODE,
        opcode::WriteFixed::CODE,
        opcode::Fsync::CODE,
    ];
    let enough = needed.iter().all(|code| probe.is_supported(*code));
    let bounded = ring.params().is_feature_ext_arg(); // waiting with a time limit
    if enough && bounded && ring.params().is_feature_nodrop() {
        Ok(())
    } else {
        Err(Unavailable::OldKernel)
    }
}

/// `kernel.io_uring_disabled` if it is not 0; kernels before 6.6 have no such setting.
fn switched_off() -> Option<u8> {
    let text = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").ok()?;
    text.trim().parse().ok().filter(|value| *value != 0)
}

fn explain(error: &io::Error, switched_off: Option<u8>) -> Unavailable {
    let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
    match (errno, switched_off) {
        (Errno::NOSYS | Errno::INVAL, _) => Unavailable::OldKernel,
        (Errno::PERM | Errno::ACCESS, Some(value)) => Unavailable::SwitchedOff { value },
        (Errno::PERM | Errno::ACCESS, None) => Unavailable::Forbidden,
        (other, _) => Unavailable::Other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(errno: Errno, switched_off: Option<u8>) -> Unavailable {
        explain(&io::Error::from(errno), switched_off)
    }

    #[test]
    fn each_reason_is_distinguished() {
        assert_eq!(explained(Errno::NOSYS, None), Unavailable::OldKernel);
        assert_eq!(
            explained(Errno::PERM, Some(2)),
            Unavailable::SwitchedOff { value: 2 }
        );
        assert_eq!(explained(Errno::PERM, None), Unavailable::Forbidden);
        assert_eq!(
            explained(Errno::MFILE, Some(1)),
            Unavailable::Other(Errno::MFILE)
        );
    }

    #[test]
    fn a_reason_says_what_to_do() {
        let text = explained(Errno::PERM, Some(1)).to_string();
        assert!(text.contains("sysctl kernel.io_uring_disabled=0"), "{text}");
        let text = explained(Errno::PERM, None).to_string();
        assert!(text.contains("seccomp"), "{text}");
    }
}
