//! What can go wrong in a step.

use headcount_script::scope::Missing;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};

/// The classes in which errors are counted and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultKind {
    /// No connection: refused, unreachable, or no answer to the attempt.
    Connect,
    /// The server did not accept the user's credentials.
    Login,
    /// The time limit of an operation passed without an answer.
    Timeout,
    /// The server closed or reset the connection.
    Disconnected,
    /// The server answered that it would not or could not do it.
    Refused,
    /// The server's bytes do not follow the protocol.
    Malformed,
    /// The server returned data other than what was stored: loss, mix-up or corruption.
    WrongData,
}

impl FaultKind {
    /// The name used in results, stable across versions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Login => "login",
            Self::Timeout => "timeout",
            Self::Disconnected => "disconnected",
            Self::Refused => "refused",
            Self::Malformed => "malformed",
            Self::WrongData => "wrong-data",
        }
    }
}

/// One failed step: its class, a sentence for a person, and whether the session outlives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The class it is counted in.
    pub kind: FaultKind,
    /// What happened, in a sentence, without secrets.
    pub message: Box<str>,
    /// Whether the session is unusable from here on and a new one must be opened.
    pub ends_session: bool,
}

impl From<Missing> for Fault {
    /// The fault of a step with a text that needs a variable without a value.
    fn from(missing: Missing) -> Self {
        Self::step(FaultKind::Refused, missing.to_string())
    }
}

impl Fault {
    /// A failure after which the session can go on, such as a refused operation.
    #[must_use]
    pub fn step(kind: FaultKind, message: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            ends_session: false,
        }
    }

    /// A failure that ends the session: the next scenario opens a new one.
    #[must_use]
    pub fn session(kind: FaultKind, message: impl Into<Box<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            ends_session: true,
        }
    }

    /// The fault for an I/O error on an open connection.
    #[must_use]
    pub fn from_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        let kind = match error.kind() {
            K::ConnectionRefused | K::HostUnreachable | K::NetworkUnreachable | K::AddrInUse => {
                FaultKind::Connect
            }
            K::TimedOut => FaultKind::Timeout,
            K::InvalidData => FaultKind::Malformed,
            _ => FaultKind::Disconnected,
        };
        Self::session(kind, error.to_string())
    }
}

/// A server's words are cut to this length in messages.
const MOST_CHARS: usize = 200;

/// A server's words as messages quote them: on one line, without control characters, and cut to a
/// readable length.
#[must_use]
pub fn words(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(MOST_CHARS).map(plain).collect()
}

/// A number shared by messages that differ only in names, sizes and other figures; never 0.
///
/// Numbers, words with digits, paths and quoted names are ignored. Codes are not, since they say
/// what happened: HTTP statuses, SMTP replies, SQLSTATEs, and words in capitals.
#[must_use]
pub fn group(message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut before = "";
    let mut is_quoted = false;
    for word in message.split_ascii_whitespace() {
        let quotes = word.matches(['"', '`']).count();
        if is_quoted || quotes > 0 {
            is_quoted ^= quotes % 2 == 1;
        } else if is_code(before, word) || !is_name(word) {
            word.hash(&mut hasher);
        }
        before = word;
    }
    hasher.finish().max(1)
}

/// Whether a word says what happened, though it may look like a name or number.
fn is_code(before: &str, word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_reply = bare.len() == 3
        && bare.bytes().all(|byte| byte.is_ascii_digit())
        && (before == "status" || before.ends_with(':'));
    let is_enhanced = bare.len() < 9
        && bare.starts_with(['4', '5'])
        && bare.split('.').count() == 3
        && bare.split('.').all(|part| part.parse::<u16>().is_ok());
    is_reply || is_enhanced || before.ends_with("SQLSTATE")
}

/// Whether a word names one thing of many: it has a digit, or is a path or an address.
fn is_name(word: &str) -> bool {
    word.bytes()
        .any(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'\\' | b'@'))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Fault {}

/// How often a kind of fault occurred, with examples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultTally {
    /// How often.
    pub count: u64,
    /// The first messages seen, at most [`FAULT_EXAMPLES`].
    pub examples: Vec<Box<str>>,
}

/// Distinct messages kept for each kind of fault at each step.
pub const FAULT_EXAMPLES: usize = 3;

impl FaultTally {
    /// Keeps a message as an example if there is room and it is new.
    pub fn keep(&mut self, message: &str) {
        let new = self.examples.iter().all(|example| &**example != message);
        if new && self.examples.len() < FAULT_EXAMPLES {
            self.examples.push(message.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_CHARS, group, words};

    fn are_one_group(messages: &[&str]) -> bool {
        messages
            .windows(2)
            .all(|two| group(two[0]) == group(two[1]))
    }

    #[test]
    fn messages_that_differ_in_names_or_figures_are_one_group() {
        assert!(are_one_group(&[
            "GET /shop/1.html: status 404 Not Found instead of 200",
            "GET /shop/cart?user=17: status 404 Not Found instead of 200",
        ]));
        assert!(are_one_group(&[
            "512 bytes came instead of 1024",
            "3 bytes came instead of 77"
        ]));
        assert!(are_one_group(&[
            "relation \"orders\" does not exist (SQLSTATE 42P01)",
            "relation \"order lines\" does not exist (SQLSTATE 42P01)",
        ]));
        assert!(are_one_group(&[
            "RCPT TO: 450 4.2.0 <u00012@example.org>: greylisted",
            "RCPT TO: 450 4.2.0 <u00913@example.org>: greylisted",
        ]));
    }

    #[test]
    fn server_messages_become_one_short_line() {
        assert_eq!(
            words("no\nerror: \u{1b}[31mall is well\u{9b}"),
            "no error:  [31mall is well "
        );
        assert_eq!(words(&"é".repeat(70_000)), "é".repeat(MOST_CHARS));
    }

    #[test]
    fn messages_with_different_codes_are_different_groups() {
        let different = [
            "GET /a: status 404 Not Found instead of 200",
            "GET /a: status 302 Found instead of 200",
            "GET /a: status 500 instead of 200",
            "GET /a: status 502 instead of 200",
            "no rights (SQLSTATE 42501)",
            "no rights (SQLSTATE 42P01)",
            "RCPT TO: 450 4.2.0 busy",
            "RCPT TO: 550 5.2.2 busy",
            "RCPT TO: 550 5.7.1 busy",
            "open: STATUS_ACCESS_DENIED",
            "open: STATUS_SHARING_VIOLATION",
        ];
        let groups: std::collections::BTreeSet<u64> = different.map(group).into();
        assert_eq!(groups.len(), different.len());
        assert!(group("") != 0);
    }
}
