//! Parses what IMAP servers send, independent of a connection.
//!
//! * [`reader`]: splits received bytes into answers and pieces of messages' contents.
//! * [`answer`]: parses an answer; [`fetch`]: to FETCH; [`found`]: to SEARCH.
//! * [`cursor`]: words, numbers and strings.

pub mod answer;
pub mod cursor;
pub mod fetch;
pub mod found;
pub mod reader;
