//! A body of texts and files, one after the other.

use headcount_script::scope::Missing;
use headcount_script::{Scope, SentFile};

use super::payload::Insert;
use super::piece::Piece;

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A text.
    Text(Piece),
    /// A file, as it is.
    File(SentFile),
}

impl Segment {
    /// The file, if it is one.
    pub(super) const fn file(&self) -> Option<&SentFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Text(_) => None,
        }
    }

    fn piece(&self) -> Option<Piece> {
        match self {
            Self::Text(piece) => Some(piece.clone()),
            Self::File(_) => None,
        }
    }
}

/// The pieces of a body without files; `None` if it has one.
pub(super) fn texts(parts: &[Segment]) -> Option<Vec<Piece>> {
    parts.iter().map(Segment::piece).collect()
}

/// The user's texts joined, and the files with their positions in it.
pub(super) fn mixed_text(
    parts: &[Segment],
    scope: &mut Scope,
) -> Result<(String, Vec<Insert>), Missing> {
    let (mut text, mut inserts) = (String::new(), Vec::new());
    for part in parts {
        match part {
            Segment::Text(piece) => piece.write(scope, &mut text)?,
            Segment::File(file) => inserts.push(Insert {
                at: text.len(),
                file: file.clone(),
            }),
        }
    }
    Ok((text, inserts))
}
