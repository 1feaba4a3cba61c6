//! The state of a connection.

use super::agreed::Agreed;
use super::encryption::Encryption;
use crate::auth::kdf::Preauth;
use crate::auth::sign::Signer;
use crate::wire::FileId;
use crate::wire::oplock::Break;

/// A connection without its socket.
#[derive(Debug)]
pub struct State {
    /// Bytes that arrived after the last response; nearly always empty.
    pub(super) carry: Vec<u8>,
    pub(super) next_message: u64,
    pub(super) credits: u32,
    /// What was agreed on in NEGOTIATE.
    pub agreed: Agreed,
    /// The hash of the negotiation (3.1.1).
    pub preauth: Preauth,
    /// The hash of the negotiation or logon in progress.
    pub hashing: Option<Preauth>,
    /// The id of the session; 0 before the logon.
    pub session: u64,
    /// Signs and verifies, once there is a key.
    pub signer: Option<Signer>,
    /// Whether every unencrypted message is signed.
    pub is_signing: bool,
    /// Which messages are encrypted.
    pub encryption: Encryption,
    /// The tree that oplocks and leases belong to.
    pub tree: u32,
    /// Handles with an oplock whose break must be acknowledged.
    pub kept: Vec<FileId>,
    pub(super) breaks: Vec<Break>,
}

impl State {
    /// The state of a new connection.
    #[must_use]
    pub fn new(agreed: Agreed) -> Self {
        Self {
            carry: Vec::new(),
            next_message: 0,
            credits: 1, // what a client may send before the server has granted any (3.2.1.2)
            agreed,
            preauth: Preauth::START,
            hashing: None,
            session: 0,
            signer: None,
            is_signing: false,
            encryption: Encryption::default(),
            tree: 0,
            kept: Vec::new(),
            breaks: Vec::new(),
        }
    }

    /// Forgets the session, its keys and its oplocks.
    pub fn end_session(&mut self) {
        self.session = 0;
        self.signer = None;
        self.is_signing = false;
        self.encryption = Encryption::default();
        self.kept = Vec::new();
    }
}
