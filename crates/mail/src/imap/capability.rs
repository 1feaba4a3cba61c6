//! The capabilities of a server.

macro_rules! capabilities {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A capability that this client uses.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Capability { $($(#[$doc])* $variant,)* }

        const NAMES: &[(&str, Capability)] = &[$(($name, Capability::$variant),)*];
    };
}

capabilities! {
    /// IMAP4rev1 (RFC 3501).
    Rev1 = "IMAP4REV1",
    /// IMAP4rev2 (RFC 9051).
    Rev2 = "IMAP4REV2",
    /// STARTTLS (RFC 9051, 6.2.1).
    StartTls = "STARTTLS",
    /// The server refuses LOGIN (RFC 9051, 6.2.3).
    LoginDisabled = "LOGINDISABLED",
    /// AUTHENTICATE PLAIN (RFC 4616).
    AuthPlain = "AUTH=PLAIN",
    /// AUTHENTICATE LOGIN.
    AuthLogin = "AUTH=LOGIN",
    /// The initial response in the AUTHENTICATE command (RFC 4959).
    SaslIr = "SASL-IR",
    /// ENABLE (RFC 5161).
    Enable = "ENABLE",
    /// Literals without waiting (RFC 7888).
    LiteralPlus = "LITERAL+",
    /// Literals up to 4,096 octets without waiting (RFC 7888).
    LiteralMinus = "LITERAL-",
    /// IDLE (RFC 2177).
    Idle = "IDLE",
    /// MOVE (RFC 6851).
    Move = "MOVE",
    /// UID EXPUNGE, APPENDUID and COPYUID (RFC 4315).
    UidPlus = "UIDPLUS",
    /// Several messages in one APPEND (RFC 3502).
    MultiAppend = "MULTIAPPEND",
    /// Attributes of folders such as `\Sent` (RFC 6154).
    SpecialUse = "SPECIAL-USE",
    /// GETQUOTAROOT (RFC 9208).
    Quota = "QUOTA",
    /// UNSELECT (RFC 3691).
    Unselect = "UNSELECT",
    /// NAMESPACE (RFC 2342).
    Namespace = "NAMESPACE",
    /// ESEARCH (RFC 4731).
    Esearch = "ESEARCH",
}

impl Capability {
    /// All capabilities, with their names.
    pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
        NAMES.iter().copied()
    }
}

/// The set of capabilities that a server offers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities(u32);

impl Capabilities {
    /// Parses the names, separated by spaces. Ignores names that this client does not use.
    #[must_use]
    pub fn parse(names: &[u8]) -> Self {
        let mut set = Self::default();
        for word in names.split(|byte| *byte == b' ') {
            let known = NAMES
                .iter()
                .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(word));
            if let Some((_, capability)) = known {
                set.0 |= 1 << *capability as u32;
            }
        }
        set
    }

    /// Whether the server offers this. IMAP4rev2 includes many former extensions (RFC 9051,
    /// appendix E).
    #[must_use]
    pub const fn has(self, capability: Capability) -> bool {
        use Capability as C;
        match capability {
            C::Enable
            | C::Idle
            | C::Move
            | C::UidPlus
            | C::Unselect
            | C::Namespace
            | C::Esearch
            | C::SaslIr => self.says(capability) || self.says(C::Rev2),
            C::LiteralMinus => {
                self.says(capability) || self.says(C::LiteralPlus) || self.says(C::Rev2)
            }
            _ => self.says(capability),
        }
    }

    const fn says(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u32) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_case_insensitive() {
        let set = Capabilities::parse(b"IMAP4rev1 literal+ AUTH=PLAIN X-OTHER MOVE");
        assert!(set.has(Capability::Rev1) && set.has(Capability::LiteralPlus));
        assert!(
            set.has(Capability::LiteralMinus),
            "LITERAL+ is more than LITERAL-"
        );
        assert!(set.has(Capability::AuthPlain) && set.has(Capability::Move));
        assert!(!set.has(Capability::Idle) && !set.has(Capability::Rev2));
    }

    #[test]
    fn rev2_includes_former_extensions() {
        let set = Capabilities::parse(b"IMAP4rev2");
        for capability in [
            Capability::Move,
            Capability::Esearch,
            Capability::LiteralMinus,
        ] {
            assert!(set.has(capability));
        }
        assert!(!set.has(Capability::LiteralPlus) && !set.has(Capability::MultiAppend));
    }
}
