//! Which messages of a session are encrypted, and with what.

use headcount_load::Fault;

use super::faults::malformed;
use crate::auth::encrypt::Encryptor;
use crate::auth::kdf::CipherKeys;
use crate::wire::negotiate::Cipher;
use crate::wire::transform::{TRANSFORM_BYTES, Transform};

/// What a session encrypts: nothing, everything, or messages about some shares. Keys are expanded
/// only when encryption begins.
#[derive(Debug, Default)]
pub struct Encryption {
    keys: Option<(Cipher, CipherKeys)>,
    encryptor: Option<Encryptor>,
    is_everything: bool,
    trees: Vec<u32>,
}

impl Encryption {
    /// The state of a new session: it has keys, but encrypts nothing yet.
    #[must_use]
    pub fn ready(cipher: Cipher, keys: CipherKeys) -> Self {
        Self {
            keys: Some((cipher, keys)),
            ..Self::default()
        }
    }

    /// Encrypts everything from now on; false if there are no keys (MS-SMB2 3.2.5.3.1).
    #[must_use]
    pub fn begin(&mut self) -> bool {
        self.is_everything = self.expand();
        self.is_everything
    }

    /// Encrypts messages about this share from now on; false without keys (MS-SMB2 3.2.5.5).
    #[must_use]
    pub fn begin_tree(&mut self, tree: u32) -> bool {
        let can = self.expand();
        if can && !self.trees.contains(&tree) {
            self.trees.push(tree);
        }
        can
    }

    /// Ends encryption for a disconnected share: the server may reuse its tree id.
    pub fn end_tree(&mut self, tree: u32) {
        self.trees.retain(|encrypted| *encrypted != tree);
    }

    /// Expands the keys, once in a session: a second encryptor would reuse nonces.
    fn expand(&mut self) -> bool {
        if let (None, Some((cipher, keys))) = (&self.encryptor, &self.keys) {
            self.encryptor = Some(Encryptor::new(*cipher, keys));
        }
        self.encryptor.is_some()
    }

    /// Whether a request about this share is encrypted (MS-SMB2 3.2.4.1.8).
    #[must_use]
    pub fn covers(&self, tree: u32) -> bool {
        self.is_everything || self.trees.contains(&tree)
    }

    /// How messages about this share are encrypted: a name, or `off`.
    #[must_use]
    pub fn name(&self, tree: u32) -> &'static str {
        match &self.keys {
            Some((Cipher::Aes128Gcm, _)) if self.covers(tree) => "AES-128-GCM",
            Some((Cipher::Aes128Ccm, _)) if self.covers(tree) => "AES-128-CCM",
            _ => "off",
        }
    }

    /// Encrypts the message in `framed` in place; room for the header precedes it.
    pub(super) fn seal(&mut self, session: u64, framed: &mut [u8]) {
        if let Some(encryptor) = &mut self.encryptor {
            encryptor.seal(session, framed);
        }
    }

    /// Decrypts the message that follows the header in `framed` in place (MS-SMB2 3.2.5.1.1).
    pub(super) fn open<'a>(
        &self,
        session: u64,
        framed: &'a mut [u8],
    ) -> Result<&'a mut [u8], Fault> {
        let wrong = |what: &str| malformed(format!("an encrypted answer {what}"));
        let head = Transform::parse(framed).ok_or_else(|| wrong("has another form"))?;
        let encryptor = self
            .encryptor
            .as_ref()
            .ok_or_else(|| wrong("came, though nothing is encrypted"))?;
        if head.session != session {
            return Err(wrong("belongs to another session"));
        }
        encryptor
            .open(&head, framed)
            .map_err(|_| wrong("was changed in transit: its tag is wrong"))?;
        Ok(&mut framed[TRANSFORM_BYTES..])
    }
}
