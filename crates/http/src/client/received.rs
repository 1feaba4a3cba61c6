//! An answer that has come whole, as captures and checks see it.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use headcount_script::Reply;
use headcount_script::json::Document;

use super::jar::Jar;

/// The most of a body that is kept: captures and checks are for answers of applications.
pub const MOST_KEPT_BYTES: usize = 16 << 20;

/// A complete answer.
#[derive(Debug)]
pub(super) struct Received<'a> {
    pub(super) status: u16,
    pub(super) headers: Vec<(Box<str>, Box<str>)>,
    pub(super) body: Vec<u8>,
    pub(super) jar: Option<&'a Jar>,
    pub(super) path: Box<str>,
    /// What has been read of the body as JSON.
    pub(super) json: Document,
}

impl Reply for Received<'_> {
    fn status(&self) -> u16 {
        self.status
    }

    fn body(&self) -> &[u8] {
        &self.body
    }

    fn json(&self) -> Option<&Document> {
        Some(&self.json)
    }

    fn headers(&self, name: &str) -> Vec<&str> {
        let same = self.headers.iter();
        same.filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| &**value)
            .collect()
    }

    fn cookie(&self, name: &str) -> Option<&str> {
        self.jar?.value(name)
    }

    fn path(&self) -> &str {
        &self.path
    }
}

impl Received<'_> {
    /// Undoes the content coding of the body (RFC 9110, 8.4). The error is a sentence.
    pub(super) fn decode(&mut self) -> Result<(), String> {
        if self.body.is_empty() {
            return Ok(()); // there is none (HEAD, 304), or only the headers are looked at
        }
        let codings = self.headers("content-encoding").join(",");
        for coding in codings.rsplit(',').map(str::trim) {
            self.body = match coding.to_ascii_lowercase().as_str() {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => whole(coding, MultiGzDecoder::new(&*self.body))?,
                "deflate" if is_zlib(&self.body) => whole(coding, ZlibDecoder::new(&*self.body))?,
                // Some servers leave out the frame, and browsers read that (RFC 9110, 8.4.1.2).
                "deflate" => whole(coding, DeflateDecoder::new(&*self.body))?,
                "br" => whole(
                    coding,
                    brotli_decompressor::Decompressor::new(&*self.body, 4096),
                )?,
                "zstd" => {
                    let decoder = ruzstd::decoding::StreamingDecoder::new(&*self.body);
                    let decoder = decoder.map_err(|error| broken(coding, &error.to_string()))?;
                    whole(coding, decoder)?
                }
                _ => {
                    return Err(format!(
                        "the body is coded in \"{}\", which Headcount cannot read; leave it out of Accept-Encoding",
                        coding.escape_default()
                    ));
                }
            };
        }
        Ok(())
    }
}

/// Whether deflated bytes begin with the frame of zlib (RFC 1950, 2.2).
fn is_zlib(body: &[u8]) -> bool {
    let [first, second, ..] = *body else {
        return false;
    };
    first & 0x0f == 8 && u16::from_be_bytes([first, second]) % 31 == 0
}

fn broken(coding: &str, error: &str) -> String {
    format!("the body is not valid {coding}: {error}")
}

/// The whole output of a decoder. The error is a sentence.
fn whole(coding: &str, decoder: impl Read) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    let mut bounded = decoder.take(MOST_KEPT_BYTES as u64 + 1);
    bounded
        .read_to_end(&mut body)
        .map_err(|error| broken(coding, &error.to_string()))?;
    if body.len() > MOST_KEPT_BYTES {
        return Err(too_much());
    }
    Ok(body)
}

/// The message about a body that is too long to be kept.
pub(super) fn too_much() -> String {
    let mebibytes = MOST_KEPT_BYTES >> 20;
    format!("its body has more than {mebibytes} MiB, which is too much for captures and checks")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};

    use super::*;

    fn decoded(coding: &str, body: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut received = Received {
            status: 200,
            headers: vec![("Content-Encoding".into(), coding.into())],
            body,
            jar: None,
            path: "/".into(),
            json: Document::default(),
        };
        received.decode()?;
        Ok(received.body)
    }

    #[test]
    fn an_answer_without_a_body_is_read_whatever_its_coding() {
        for coding in ["gzip", "deflate", "br", "zstd", "unknown"] {
            assert_eq!(decoded(coding, Vec::new()), Ok(Vec::new()), "{coding}");
        }
    }

    #[test]
    fn deflate_is_read_with_and_without_its_frame() {
        let text = b"hello".repeat(20);
        let mut framed = ZlibEncoder::new(Vec::new(), Compression::default());
        framed.write_all(&text).unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(&text).unwrap();
        for body in [framed.finish().unwrap(), bare.finish().unwrap()] {
            assert_eq!(decoded("deflate", body), Ok(text.clone()));
        }
        assert!(decoded("deflate", b"neither".to_vec()).is_err());
    }
}
