//! What is timed: commands, and operations that a person would distinguish.

headcount_load::tasks! {
    /// A kind of thing that is timed.
    #[expect(missing_docs, reason = "their names say it, and docs/mail.md explains them")]
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
    // From when a message was accepted until its recipient can see it.
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
