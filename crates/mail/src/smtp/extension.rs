//! The extensions that a server offers in its answer to EHLO or LHLO.

use super::credentials::Mechanism;
use super::reply::Reply;

/// The extensions that a server offers.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a server has each extension or has it not"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Commands may be sent before earlier ones have been answered (RFC 2920).
    pub pipelining: bool,
    /// MAIL may announce the size of the message (RFC 1870).
    pub size: bool,
    /// The largest message it accepts, if it says so.
    pub most_bytes: Option<u64>,
    /// Bytes over 127 may be sent (RFC 6152).
    pub eight_bit: bool,
    /// TLS may begin (RFC 3207).
    pub starttls: bool,
    /// AUTH PLAIN (RFC 4616).
    pub plain: bool,
    /// AUTH LOGIN.
    pub login: bool,
}

impl Extensions {
    /// Parses the answer: after the first line, one line for each extension.
    #[must_use]
    pub fn read(reply: &Reply) -> Self {
        let mut found = Self::default();
        for line in reply.text.split('\n').skip(1) {
            // Some old servers write AUTH=LOGIN.
            let mut words = line.split([' ', '=']);
            let Some(name) = words.next() else { continue };
            match &*name.to_ascii_uppercase() {
                "PIPELINING" => found.pipelining = true,
                "SIZE" => {
                    found.size = true;
                    let most = words.next().and_then(|most| most.parse().ok());
                    found.most_bytes = most.filter(|&most| most > 0);
                }
                "8BITMIME" => found.eight_bit = true,
                "STARTTLS" => found.starttls = true,
                "AUTH" => {
                    for mechanism in words {
                        found.plain |= mechanism.eq_ignore_ascii_case("PLAIN");
                        found.login |= mechanism.eq_ignore_ascii_case("LOGIN");
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether the server offers this mechanism to log on.
    #[must_use]
    pub const fn has(&self, mechanism: Mechanism) -> bool {
        match mechanism {
            Mechanism::Plain => self.plain,
            Mechanism::Login => self.login,
        }
    }
}
