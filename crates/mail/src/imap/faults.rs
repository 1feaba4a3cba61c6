//! Faults of a connection.

use headcount_load::{Fault, FaultKind};

/// Most characters of a server's text that a message quotes.
const MOST_SHOWN: usize = 200;

/// A server's text for messages: shortened, and without control characters.
pub fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut short = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == MOST_SHOWN {
            short.push_str("...");
            break;
        }
        if character.is_control() {
            short.extend(character.escape_default());
        } else {
            short.push(character);
        }
    }
    short
}

/// The fault of a server that violates the protocol.
pub fn malformed(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}

/// The fault of a lost connection.
pub fn lost(sentence: impl Into<Box<str>>) -> Fault {
    Fault::session(FaultKind::Disconnected, sentence)
}

/// The fault of a refused command.
pub fn refused(sentence: impl Into<Box<str>>) -> Fault {
    Fault::step(FaultKind::Refused, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_escaped() {
        assert_eq!(shown(b"a\x1b[31m\xff\r"), "a\\u{1b}[31m\u{fffd}\\r");
        let long = shown(&[b'x'; 300]);
        assert_eq!(long.len(), 203);
        assert!(long.ends_with("x..."));
    }
}
