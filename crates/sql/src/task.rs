//! What is timed, and the statements it takes.

use headcount_load::Stopwatch;

macro_rules! tasks {
    ($($variant:ident = $name:literal,)*) => {
        /// A kind of thing that is timed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "their names say it, and docs/databases.md explains them")]
        pub enum Task { $($variant,)* }

        /// The names of all kinds, in the order of [`Task`].
        pub const NAMES: &[&str] = &[$($name,)*];
    };
}

tasks! {
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
        assert_eq!(Task::Connect.name(), "connect");
        assert_eq!(Task::Sql.name(), "sql");
        assert_eq!(NAMES.len(), Task::Sql as usize + 1);
    }
}
