//! What the kernel's error numbers mean to users of files.

use headcount_load::{Fault, FaultKind};
use rustix::io::Errno;

use crate::calls::Failed;

/// What can still be done after an error.
#[derive(Clone, Copy)]
enum After {
    /// The session goes on.
    GoesOn,
    /// The file system is out of reach.
    Ended,
}

use After::{Ended, GoesOn};

/// Error numbers with a meaning (errno(3)), their names, and a sentence.
const KNOWN: &[(Errno, &str, After, &str)] = &[
    (Errno::PERM, "EPERM", GoesOn, "it is not permitted"),
    (
        Errno::NOENT,
        "ENOENT",
        GoesOn,
        "there is nothing with this name",
    ),
    (
        Errno::IO,
        "EIO",
        GoesOn,
        "the disk or the server could not do it",
    ),
    (Errno::BADF, "EBADF", GoesOn, "it was not opened for this"),
    (
        Errno::NOMEM,
        "ENOMEM",
        GoesOn,
        "the kernel lacks memory for it",
    ),
    (Errno::ACCESS, "EACCES", GoesOn, "this user may not do it"),
    (Errno::BUSY, "EBUSY", GoesOn, "it is in use"),
    (
        Errno::EXIST,
        "EEXIST",
        GoesOn,
        "there is something with this name already",
    ),
    (
        Errno::XDEV,
        "EXDEV",
        GoesOn,
        "it leads out of the folder, or to another file system",
    ),
    (Errno::NOTDIR, "ENOTDIR", GoesOn, "it is not a folder"),
    (Errno::ISDIR, "EISDIR", GoesOn, "it is a folder"),
    (
        Errno::INVAL,
        "EINVAL",
        GoesOn,
        "the file system does not accept it",
    ),
    (
        Errno::NFILE,
        "ENFILE",
        GoesOn,
        "too many files are open on this machine",
    ),
    (
        Errno::MFILE,
        "EMFILE",
        GoesOn,
        "this process may open no more files: raise ulimit -n",
    ),
    (
        Errno::TXTBSY,
        "ETXTBSY",
        GoesOn,
        "it is a program that runs",
    ),
    (
        Errno::FBIG,
        "EFBIG",
        GoesOn,
        "the file would be larger than is allowed",
    ),
    (Errno::NOSPC, "ENOSPC", GoesOn, "the disk is full"),
    (Errno::ROFS, "EROFS", GoesOn, "the file system is read-only"),
    (
        Errno::NAMETOOLONG,
        "ENAMETOOLONG",
        GoesOn,
        "the name is too long",
    ),
    (
        Errno::AGAIN,
        "EAGAIN",
        GoesOn,
        "somebody else holds a lock on these bytes",
    ),
    (
        Errno::NOLCK,
        "ENOLCK",
        GoesOn,
        "the file system has no locks left",
    ),
    (
        Errno::NOSYS,
        "ENOSYS",
        GoesOn,
        "the kernel does not know this call (Linux 5.6 or later does)",
    ),
    (
        Errno::NOTEMPTY,
        "ENOTEMPTY",
        GoesOn,
        "the folder is not empty",
    ),
    (
        Errno::LOOP,
        "ELOOP",
        GoesOn,
        "it is a symbolic link, which is never followed here",
    ),
    (
        Errno::OPNOTSUPP,
        "EOPNOTSUPP",
        GoesOn,
        "the file system does not offer this",
    ),
    (Errno::OVERFLOW, "EOVERFLOW", GoesOn, "it is too large"),
    (Errno::DQUOT, "EDQUOT", GoesOn, "the quota is used up"),
    (
        Errno::STALE,
        "ESTALE",
        GoesOn,
        "the server no longer knows this file",
    ),
    (Errno::NXIO, "ENXIO", Ended, "the device is gone"),
    (Errno::NODEV, "ENODEV", Ended, "the device is gone"),
    (
        Errno::NOTCONN,
        "ENOTCONN",
        Ended,
        "the mount has lost its server",
    ),
    (
        Errno::SHUTDOWN,
        "ESHUTDOWN",
        Ended,
        "the file system was shut down",
    ),
    (
        Errno::CONNRESET,
        "ECONNRESET",
        Ended,
        "the mount has lost its server",
    ),
    (
        Errno::CONNABORTED,
        "ECONNABORTED",
        Ended,
        "the mount has lost its server",
    ),
    (
        Errno::TIMEDOUT,
        "ETIMEDOUT",
        Ended,
        "the server of the mount does not answer",
    ),
    (
        Errno::HOSTDOWN,
        "EHOSTDOWN",
        Ended,
        "the server of the mount is down",
    ),
    (
        Errno::HOSTUNREACH,
        "EHOSTUNREACH",
        Ended,
        "the server of the mount cannot be reached",
    ),
];

/// The error's name and number, as in `ENOSPC (28)`.
pub fn name(errno: Errno) -> String {
    let number = errno.raw_os_error();
    match KNOWN.iter().find(|known| known.0 == errno) {
        Some((_, name, _, _)) => format!("{name} ({number})"),
        None => format!("errno {number}"),
    }
}

/// The fault of a call that failed on this path.
pub fn fault(failed: Failed, path: &str) -> Fault {
    let Failed { call, errno } = failed;
    let known = KNOWN.iter().find(|known| known.0 == errno);
    let (after, sentence) = match known {
        Some((_, _, after, sentence)) => (*after, *sentence),
        None => (GoesOn, "the kernel refused"),
    };
    let message = format!("{} \"{path}\": {}: {sentence}", call.name(), name(errno));
    match after {
        GoesOn => Fault::step(FaultKind::Refused, message),
        Ended => Fault::session(FaultKind::Disconnected, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Call;

    #[test]
    fn an_error_becomes_a_fault_with_an_explanation() {
        let of = |errno| {
            fault(
                Failed {
                    call: Call::Write,
                    errno,
                },
                "a/b",
            )
        };
        let full = of(Errno::NOSPC);
        assert_eq!(full.kind, FaultKind::Refused);
        assert!(!full.ends_session);
        assert_eq!(
            &*full.message,
            "pwrite \"a/b\": ENOSPC (28): the disk is full"
        );
        let gone = of(Errno::HOSTDOWN);
        assert_eq!(
            (gone.kind, gone.ends_session),
            (FaultKind::Disconnected, true)
        );
        assert!(of(Errno::CHILD).message.contains("errno 10"));
    }

    #[test]
    fn names_match_their_numbers() {
        // Every name in the table must be the C library's name for the number.
        for (errno, name, _, _) in KNOWN {
            let found = nix::errno::Errno::from_raw(errno.raw_os_error());
            assert_eq!(format!("{found:?}"), *name);
        }
    }
}
