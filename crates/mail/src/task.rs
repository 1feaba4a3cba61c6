//! What is timed: commands, and what a person would tell apart.

use headcount_load::Stopwatch;

macro_rules! tasks {
    ($($variant:ident = $name:literal,)*) => {
        /// A kind of thing that is timed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "their names say it, and docs/mail.md explains them")]
        pub enum Task { $($variant,)* }

        /// The names of all kinds, in the order of [`Task`].
        pub const NAMES: &[&str] = &[$($name,)*];
    };
}

tasks! {
    // What a user does (LoadSim's tasks, and what they are made of).
    Read = "read",
    Delete = "delete",
    Send = "send",
    Reply = "reply",
    ReplyAll = "reply-all",
    Forward = "forward",
    Move = "move",
    Copy = "copy",
    LoadAttachment = "load-attachment",
    ScheduleChange = "schedule-change",
    EmptyDeleted = "empty-deleted",
    // From the moment a message was accepted until its recipient can see it.
    Delivery = "delivery",
    // Commands of IMAP (RFC 9051), as they are written on the wire.
    Capability = "CAPABILITY",
    StartTls = "STARTTLS",
    Login = "LOGIN",
    Enable = "ENABLE",
    Namespace = "NAMESPACE",
    List = "LIST",
    Create = "CREATE",
    Status = "STATUS",
    Select = "SELECT",
    Unselect = "UNSELECT",
    Fetch = "FETCH",
    Search = "SEARCH",
    Store = "STORE",
    CopyMessages = "COPY",
    MoveMessages = "MOVE",
    Append = "APPEND",
    Expunge = "EXPUNGE",
    Quota = "GETQUOTAROOT",
    Check = "CHECK",
    Noop = "NOOP",
    Idle = "IDLE",
    Logout = "LOGOUT",
    // Parts of an SMTP or LMTP transaction: connecting until the server has answered EHLO or LHLO
    // and the login, and a message from MAIL to the last answer to its data.
    SmtpConnect = "smtp-connect",
    SmtpMessage = "smtp-message",
}

impl Task {
    /// Notes that one began at `began_ns` and has ended just now.
    pub fn note<T, E>(self, stopwatch: &Stopwatch, began_ns: u64, ended: &Result<T, E>) {
        stopwatch.note(self as usize, began_ns, ended);
    }

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_kinds() {
        assert_eq!(Task::Read.name(), "read");
        assert_eq!(Task::Delivery.name(), "delivery");
        assert_eq!(Task::SmtpMessage.name(), "smtp-message");
        assert_eq!(NAMES.len(), Task::SmtpMessage as usize + 1);
    }
}
