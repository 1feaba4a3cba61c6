//! Which messages of a session are encrypted, and with what.

use headcount_load::Fault;

use super::faults::malformed;
use crate::auth::encrypt::Encryptor;
use crate::auth::kdf::CipherKeys;
use crate::wire::negotiate::Cipher;
use crate::wire::transform::{TRANSFORM_BYTES, Transform};

/// What of a session is encrypted: nothing, everything, or what is about some shares. Nothing is
/// expanded or allocated before the first of them.
#[derive(Debug, Default)]
pub struct Encryption {
    keys: Option<(Cipher, CipherKeys)>,
    encryptor: Option<Encryptor>,
    is_everything: bool,
    trees: Vec<u32>,
}

impl Encryption {
    /// A new session that has keys, and encrypts nothing yet.
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

    /// Encrypts what is about this share from now on; false if there are no keys (MS-SMB2 3.2.5.5).
    #[must_use]
    pub fn begin_tree(&mut self, tree: u32) -> bool {
        let can = self.expand();
        if can && !self.trees.contains(&tree) {
            self.trees.push(tree);
        }
        can
    }

    /// The share is left; the server may give another its number.
    pub fn end_tree(&mut self, tree: u32) {
        self.trees.retain(|encrypted| *encrypted != tree);
    }

    /// Keys are expanded once in a session: a second encryptor would use nonces again.
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

    /// Encrypts a message where it lies, behind room for its header.
    pub(super) fn seal(&mut self, session: u64, framed: &mut [u8]) {
        if let Some(encryptor) = &mut self.encryptor {
            encryptor.seal(session, framed);
        }
    }

    /// Decrypts a message where it lies, behind its header (MS-SMB2 3.2.5.1.1).
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
