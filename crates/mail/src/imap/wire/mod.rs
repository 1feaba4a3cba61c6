//! What IMAP servers say, read from bytes: no connection in here.
//!
//! * [`reader`]: bytes as they arrive, cut into answers; contents of messages pass by in pieces.
//! * [`answer`]: what an answer says; [`fetch`]: of a message; [`found`]: of a search.
//! * [`cursor`]: words, numbers and strings.

pub mod answer;
pub mod cursor;
pub mod fetch;
pub mod found;
pub mod reader;
