//! `NTSTATUS` codes (MS-ERREF 2.3.1) with names, sentences, and the faults they mean.

use headcount_load::{Fault, FaultKind};

/// The status of a response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

/// What happens to the session after a failure with this status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// It stays usable.
    GoesOn,
    /// The credentials were not accepted.
    NoLogin,
    /// The server has forgotten the session or connection.
    Ended,
}

macro_rules! statuses {
    ($($constant:ident = $code:literal, $after:ident, $sentence:literal;)*) => {
        #[allow(missing_docs, reason = "the names are those of MS-ERREF")]
        impl Status {
            $(pub const $constant: Self = Self($code);)*

            const fn known(self) -> Option<(&'static str, After, &'static str)> {
                match self.0 {
                    $($code => Some((stringify!($constant), After::$after, $sentence)),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    SUCCESS = 0x0000_0000, GoesOn, "done";
    PENDING = 0x0000_0103, GoesOn, "the answer comes later";
    NOTIFY_ENUM_DIR = 0x0000_010C, GoesOn, "too many changes to list";
    BUFFER_OVERFLOW = 0x8000_0005, GoesOn, "the answer did not fit and is incomplete";
    NO_MORE_FILES = 0x8000_0006, GoesOn, "the folder has no more entries";
    STOPPED_ON_SYMLINK = 0x8000_002D, GoesOn, "there is a symbolic link in the path";
    UNSUCCESSFUL = 0xC000_0001, GoesOn, "it failed; the server gives no reason";
    NOT_IMPLEMENTED = 0xC000_0002, GoesOn, "the server does not implement this";
    INVALID_INFO_CLASS = 0xC000_0003, GoesOn, "the server does not know this class of information";
    INFO_LENGTH_MISMATCH = 0xC000_0004, GoesOn, "the server expects another length";
    INVALID_HANDLE = 0xC000_0008, GoesOn, "the server does not know this handle";
    INVALID_PARAMETER = 0xC000_000D, GoesOn, "the server finds the request invalid";
    NO_SUCH_FILE = 0xC000_000F, GoesOn, "there is no such file";
    INVALID_DEVICE_REQUEST = 0xC000_0010, GoesOn, "the server cannot do this to such an object";
    END_OF_FILE = 0xC000_0011, GoesOn, "the file ends before this offset";
    MORE_PROCESSING_REQUIRED = 0xC000_0016, GoesOn, "the logon goes on";
    NO_MEMORY = 0xC000_0017, GoesOn, "the server has no memory left";
    ACCESS_DENIED = 0xC000_0022, GoesOn, "the server does not permit this user to do it";
    BUFFER_TOO_SMALL = 0xC000_0023, GoesOn, "the answer does not fit";
    OBJECT_NAME_INVALID = 0xC000_0033, GoesOn, "the server does not accept this name";
    OBJECT_NAME_NOT_FOUND = 0xC000_0034, GoesOn, "there is nothing with this name";
    OBJECT_NAME_COLLISION = 0xC000_0035, GoesOn, "something with this name exists already";
    OBJECT_PATH_NOT_FOUND = 0xC000_003A, GoesOn, "a folder in the path does not exist";
    SHARING_VIOLATION = 0xC000_0043, GoesOn, "somebody else has it open in a way that forbids this";
    QUOTA_EXCEEDED = 0xC000_0044, GoesOn, "the user's quota is used up";
    FILE_LOCK_CONFLICT = 0xC000_0054, GoesOn, "somebody else holds a lock on these bytes";
    LOCK_NOT_GRANTED = 0xC000_0055, GoesOn, "somebody else holds a lock on these bytes";
    DELETE_PENDING = 0xC000_0056, GoesOn, "it is being deleted";
    WRONG_PASSWORD = 0xC000_006A, NoLogin, "the password is wrong";
    LOGON_FAILURE = 0xC000_006D, NoLogin, "the user name is unknown or the password is wrong";
    ACCOUNT_RESTRICTION = 0xC000_006E, NoLogin, "a restriction of the account forbids the logon";
    PASSWORD_EXPIRED = 0xC000_0071, NoLogin, "the password has expired";
    ACCOUNT_DISABLED = 0xC000_0072, NoLogin, "the account is disabled";
    RANGE_NOT_LOCKED = 0xC000_007E, GoesOn, "these bytes are not locked";
    DISK_FULL = 0xC000_007F, GoesOn, "the server's disk is full";
    INSUFFICIENT_RESOURCES = 0xC000_009A, GoesOn, "the server lacks resources for it";
    MEDIA_WRITE_PROTECTED = 0xC000_00A2, GoesOn, "the share or disk is read-only";
    IO_TIMEOUT = 0xC000_00B5, GoesOn, "the server's device did not answer in time";
    FILE_IS_A_DIRECTORY = 0xC000_00BA, GoesOn, "it is a folder";
    NOT_SUPPORTED = 0xC000_00BB, GoesOn, "the server does not support this";
    NETWORK_NAME_DELETED = 0xC000_00C9, Ended, "the server has taken the share away";
    NETWORK_ACCESS_DENIED = 0xC000_00CA, GoesOn, "the server does not permit access over the network";
    BAD_NETWORK_NAME = 0xC000_00CC, GoesOn, "the server has no share of this name";
    REQUEST_NOT_ACCEPTED = 0xC000_00D0, GoesOn, "the server accepts no more connections or sessions";
    DIRECTORY_NOT_EMPTY = 0xC000_0101, GoesOn, "the folder is not empty";
    NOT_A_DIRECTORY = 0xC000_0103, GoesOn, "it is not a folder";
    TOO_MANY_OPENED_FILES = 0xC000_011F, GoesOn, "too many files are open on the server";
    CANCELLED = 0xC000_0120, GoesOn, "the request was cancelled";
    CANNOT_DELETE = 0xC000_0121, GoesOn, "it cannot be deleted";
    FILE_CLOSED = 0xC000_0128, GoesOn, "the handle is closed";
    LOGON_TYPE_NOT_GRANTED = 0xC000_015B, NoLogin, "the user may not log on over the network";
    TRUSTED_RELATIONSHIP_FAILURE = 0xC000_018D, NoLogin, "the server cannot reach the user's domain";
    FS_DRIVER_REQUIRED = 0xC000_019C, GoesOn, "the server offers no such service on this share";
    USER_SESSION_DELETED = 0xC000_0203, Ended, "the server has ended the session";
    NOT_FOUND = 0xC000_0225, GoesOn, "the server found nothing to answer";
    ACCOUNT_LOCKED_OUT = 0xC000_0234, NoLogin, "the account is locked";
    CONNECTION_DISCONNECTED = 0xC000_020C, Ended, "the server has ended the connection";
    NETWORK_SESSION_EXPIRED = 0xC000_035C, Ended, "the session has expired; log on again";
    SMB_TOO_MANY_UIDS_SPECIFIED = 0xC000_205A, NoLogin, "the server accepts no more sessions";
    VIRUS_INFECTED = 0xC000_0906, GoesOn, "the server found a virus";
    FILE_NOT_AVAILABLE = 0xC000_0467, GoesOn, "the file is not available now";
}

impl Status {
    /// Whether the request failed (MS-ERREF 2.3: severity of an error). A symbolic link in the path
    /// is only a warning, but nothing was opened (MS-SMB2 2.2.2.2.1).
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.0 >> 30 == 3 || self.0 == Self::STOPPED_ON_SYMLINK.0
    }

    /// Whether it means that nothing has this name.
    #[must_use]
    pub const fn is_not_found(self) -> bool {
        matches!(
            self,
            Self::OBJECT_NAME_NOT_FOUND | Self::OBJECT_PATH_NOT_FOUND
        )
    }

    /// Whether it means that the server does not support the request, or not on this kind of share.
    #[must_use]
    pub const fn is_unsupported(self) -> bool {
        matches!(
            self,
            Self::NOT_SUPPORTED
                | Self::NOT_IMPLEMENTED
                | Self::FS_DRIVER_REQUIRED
                | Self::INVALID_DEVICE_REQUEST
        )
    }

    /// Its name and code, as in `STATUS_ACCESS_DENIED (0xC0000022)`.
    #[must_use]
    pub fn name(self) -> String {
        match self.known() {
            Some((name, _, _)) => format!("STATUS_{name} (0x{:08X})", self.0),
            None => format!("NTSTATUS 0x{:08X}", self.0),
        }
    }

    /// The fault it means; its message begins with `what`.
    #[must_use]
    pub fn fault(self, what: &str) -> Fault {
        let (after, sentence) = match self.known() {
            Some((_, after, sentence)) => (after, sentence),
            None => (After::GoesOn, "the server refused"),
        };
        let message = format!("{what}: {}: {sentence}", self.name());
        match after {
            After::GoesOn => Fault::step(FaultKind::Refused, message),
            After::NoLogin => Fault::session(FaultKind::Login, message),
            After::Ended => Fault::session(FaultKind::Disconnected, message),
        }
    }
}

impl std::fmt::Debug for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_becomes_a_fault_with_an_explanation() {
        let fault = Status::ACCESS_DENIED.fault("CREATE \"a\\b\"");
        assert_eq!(fault.kind, FaultKind::Refused);
        assert!(!fault.ends_session);
        assert_eq!(
            &*fault.message,
            "CREATE \"a\\b\": STATUS_ACCESS_DENIED (0xC0000022): the server does not permit this \
             user to do it"
        );
        assert_eq!(Status::LOGON_FAILURE.fault("x").kind, FaultKind::Login);
        assert!(Status::NETWORK_SESSION_EXPIRED.fault("x").ends_session);
        assert!(
            Status(0xC000_1234)
                .fault("x")
                .message
                .contains("0xC0001234")
        );
        assert!(!Status::BUFFER_OVERFLOW.is_error() && Status(0xC000_1234).is_error());
    }

    #[test]
    fn a_symbolic_link_in_the_path_is_refused() {
        assert!(Status::STOPPED_ON_SYMLINK.is_error());
        let fault = Status::STOPPED_ON_SYMLINK.fault("CREATE \"a\\b\"");
        assert_eq!(fault.kind, FaultKind::Refused);
        assert!(!fault.ends_session, "{fault}");
    }
}
