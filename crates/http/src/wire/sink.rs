//! The check of a body's contents as it passes through.

use std::io::{self, Write};

use flate2::write::GzDecoder;

use super::head::Coding;
use crate::pages::content::{Difference, Owner, check};

/// A check of what a body holds.
#[derive(Debug)]
pub struct Checker {
    owner: Owner,
    position: u64,
    difference: Option<Difference>,
}

impl Checker {
    /// The contents of this page.
    #[must_use]
    pub const fn new(owner: Owner) -> Self {
        Self {
            owner,
            position: 0,
            difference: None,
        }
    }
}

impl Write for Checker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.difference.is_none() {
            self.difference = check(self.owner, self.position, bytes).err();
        }
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A checker for plain bodies, or for compressed ones.
#[derive(Debug)]
pub enum Sink {
    /// Not compressed.
    Plain(Checker),
    /// Compressed by gzip, with the error of its decoder, if any.
    Gzip(Box<GzDecoder<Checker>>, Option<io::Error>),
}

impl Sink {
    /// The check for a body in this coding; `None` if the coding is not supported.
    #[must_use]
    pub fn new(coding: Coding, checker: Checker) -> Option<Self> {
        match coding {
            Coding::Identity => Some(Self::Plain(checker)),
            Coding::Gzip => {
                let decoder = GzDecoder::new(checker);
                Some(Self::Gzip(Box::new(decoder), None))
            }
            Coding::Other => None,
        }
    }

    /// Checks the next bytes of the body.
    pub fn take(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(checker) => {
                let _ = checker.write(bytes); // it takes everything
            }
            Self::Gzip(decoder, wrong) => {
                // Decoding the rest finds nothing new, and it may be a thousand times what came.
                if wrong.is_none() && decoder.get_ref().difference.is_none() {
                    *wrong = decoder.write_all(bytes).err();
                }
            }
        }
    }

    /// The length of the contents. The error is a difference, or a sentence about the compression.
    pub fn finish(self) -> Result<u64, Result<Difference, String>> {
        let checker = match self {
            Self::Plain(checker) => checker,
            Self::Gzip(decoder, wrong) => {
                if let Some(difference) = decoder.get_ref().difference {
                    return Err(Ok(difference));
                }
                let finished = wrong.map_or_else(|| decoder.finish(), Err);
                finished.map_err(|error| Err(format!("the body is not valid gzip: {error}")))?
            }
        };
        match checker.difference {
            Some(difference) => Err(Ok(difference)),
            None => Ok(checker.position),
        }
    }
}
