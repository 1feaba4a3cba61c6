//! Messages as captures and checks see them.

use headcount_script::Reply;
use headcount_script::json::Document;

use crate::message::mime;

/// The result of a search, or one message.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The messages' UIDs.
    pub(super) uids: Vec<u32>,
    /// How long it took, in ms.
    pub(super) took_ms: f64,
    fields: Vec<(Box<str>, Box<str>)>,
    text: Vec<u8>,
    bytes: u64,
    json: Document,
}

impl Found {
    /// The messages found by a search that took `took_ms`.
    pub(super) fn messages(uids: Vec<u32>, took_ms: f64) -> Self {
        Self {
            uids,
            took_ms,
            ..Self::default()
        }
    }

    /// One fetched message.
    pub(super) fn message(uid: u32, message: &[u8], has_body: bool) -> Self {
        Self {
            uids: vec![uid],
            fields: mime::fields(mime::split(message).0),
            text: if has_body {
                mime::text(message)
            } else {
                Vec::new()
            },
            bytes: message.len() as u64,
            ..Self::default()
        }
    }

    /// The message's fields.
    pub(super) fn fields(&self) -> &[(Box<str>, Box<str>)] {
        &self.fields
    }
}

impl Reply for Found {
    fn body(&self) -> &[u8] {
        &self.text
    }

    fn size(&self) -> u64 {
        self.bytes
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }

    fn headers(&self, name: &str) -> Vec<&str> {
        let same = self.fields.iter();
        same.filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| &**value)
            .collect()
    }

    fn uids(&self) -> &[u32] {
        &self.uids
    }

    fn took_ms(&self) -> f64 {
        self.took_ms
    }
}
