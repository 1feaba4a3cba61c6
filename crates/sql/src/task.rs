//! The tasks that are timed, and their statements.

headcount_load::tasks! {
    /// A kind of thing that is timed.
    #[expect(missing_docs, reason = "their names say it, and docs/databases.md explains them")]
    // From the start of the connection until the server is ready for statements.
    Connect = "connect",
    OpenView = "open-view",
    ReadView = "read-view",
    SetUnread = "set-unread",
    ReadUnread = "read-unread",
    ReadDocument = "read-document",
    AddDocument = "add-document",
    UpdateDocument = "update-document",
    DeleteOldest = "delete-oldest",
    Lookup = "lookup",
    Appointment = "appointment",
    Sql = "sql",
    Copy = "copy",
    // From its beginning until it is committed, with all tries.
    Transaction = "transaction",
}
