//! Bodies in chunks (RFC 9112, 7.1), in whatever pieces they arrive.

/// Bytes of extensions and trailers that one body may have. Servers send none, or a few dozen.
const MOST_EXTRA: u32 = 16 << 10;

/// Where in a body the next byte belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// The first digit of a chunk's size.
    #[default]
    SizeStart,
    Size,
    Extension,
    SizeEnd,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerEnd,
    LastLf,
    Over,
}

/// A body under way.
#[derive(Debug, Clone, Default)]
pub struct Chunked {
    at: At,
    /// In a size, the value read so far; in data, the bytes still to come.
    left: u64,
    /// Digits of the size so far.
    digits: u8,
    extra: u32,
}

impl Chunked {
    /// Whether the last chunk and the trailer have been read.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.at == At::Over
    }

    /// Bytes of the current chunk that are still to come; 0 between chunks.
    #[must_use]
    pub fn left(&self) -> u64 {
        if self.at == At::Data { self.left } else { 0 }
    }

    /// Skips bytes of the current chunk that were discarded, at most [`Chunked::left`].
    pub fn skip(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
        if self.at == At::Data && self.left == 0 {
            self.at = At::DataCr;
        }
    }

    /// Reads bytes, passes data to `data`, and returns how many were used: all, unless the body
    /// ended before. The error is a sentence.
    pub fn take(&mut self, bytes: &[u8], mut data: impl FnMut(&[u8])) -> Result<usize, String> {
        let mut used = 0;
        while used < bytes.len() && self.at != At::Over {
            if self.at == At::Data {
                let length =
                    (bytes.len() - used).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                data(&bytes[used..used + length]);
                used += length;
                self.skip(length as u64);
                continue;
            }
            self.step(bytes[used])?;
            used += 1;
        }
        Ok(used)
    }

    /// Reads one byte that is not data.
    fn step(&mut self, byte: u8) -> Result<(), String> {
        self.at = match (self.at, byte) {
            (At::SizeStart | At::Size, _) if byte.is_ascii_hexdigit() => {
                self.add_digit(byte)?;
                At::Size
            }
            (At::Size | At::Extension, b'\r') => At::SizeEnd,
            (At::Size, b';' | b' ' | b'\t') | (At::Extension, _) if byte != b'\n' => {
                self.count_extra()?;
                At::Extension
            }
            (At::SizeEnd, b'\n') if self.left > 0 => At::Data,
            (At::SizeEnd | At::TrailerEnd, b'\n') => At::TrailerStart,
            (At::DataCr, b'\r') => At::DataLf,
            (At::DataLf, b'\n') => At::SizeStart,
            (At::TrailerStart, b'\r') => At::LastLf,
            (At::Trailer, b'\r') => At::TrailerEnd,
            (At::TrailerStart | At::Trailer, _) if byte != b'\n' => {
                self.count_extra()?;
                At::Trailer
            }
            (At::LastLf, b'\n') => At::Over,
            _ => {
                let byte = [byte];
                let byte = byte.escape_ascii();
                return Err(format!(
                    "a chunk of the body has \"{byte}\" where it is not allowed"
                ));
            }
        };
        Ok(())
    }

    fn add_digit(&mut self, byte: u8) -> Result<(), String> {
        let digit = char::from(byte).to_digit(16).unwrap_or_default();
        if self.at == At::SizeStart {
            (self.left, self.digits) = (0, 0);
        }
        self.digits += 1;
        if self.digits > 16 {
            return Err("the size of a chunk of the body has more than 16 digits".into());
        }
        self.left = self.left << 4 | u64::from(digit);
        Ok(())
    }

    fn count_extra(&mut self) -> Result<(), String> {
        self.extra += 1;
        if self.extra > MOST_EXTRA {
            return Err(format!(
                "chunk extensions and trailers exceed {MOST_EXTRA} bytes"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(pieces: &[&[u8]]) -> Result<(Vec<u8>, usize, bool), String> {
        let (mut body, mut used, mut chunked) = (Vec::new(), 0, Chunked::default());
        for piece in pieces {
            used += chunked.take(piece, |data| body.extend_from_slice(data))?;
        }
        Ok((body, used, chunked.is_over()))
    }

    #[test]
    fn chunks_extensions_and_trailers_are_read() {
        // The example of RFC 9112, 7.1.3 cannot be quoted in bytes; this has all of its parts.
        let body = b"4\r\nWiki\r\n5 ;a=b\r\npedia\r\n0\r\nExpires: never\r\nA: b\r\n\r\nHTTP";
        assert_eq!(
            decode(&[body]),
            Ok((b"Wikipedia".to_vec(), body.len() - 4, true))
        );
        assert_eq!(decode(&[b"0\r\n\r\n"]), Ok((Vec::new(), 5, true)));
        assert_eq!(
            decode(&[b"00a\r\n0123456789\r\n"]).unwrap().0,
            b"0123456789"
        );
    }

    #[test]
    fn mistakes_are_refused() {
        let endless = [&b"1;"[..], &vec![b'x'; 20_000]].concat();
        for wrong in [
            &b"\r\n"[..],
            b"x\r\n",
            b"5\nhello",
            b"1\r\nxx",
            b"1\r\nx\n",
            b"0\r\n\n",
            b"-1\r\n",
            b"11111111111111111\r\n",
            b"0\r\nA\n",
            &endless,
        ] {
            assert!(
                decode(&[wrong]).is_err(),
                "{}",
                wrong[..wrong.len().min(20)].escape_ascii()
            );
        }
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            extra in "[a-z]{0,5}",
        ) {
            let mut body = Vec::new();
            for chunk in &chunks {
                body.extend(format!("{:X};{extra}\r\n", chunk.len()).into_bytes());
                body.extend(chunk);
                body.extend(b"\r\n");
            }
            body.extend(b"0\r\n\r\n");
            let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(body.len())).collect();
            ends.extend([0, body.len()]);
            ends.sort_unstable();
            let pieces: Vec<_> = ends.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
            prop_assert_eq!(decode(&pieces), Ok((chunks.concat(), body.len(), true)));
        }

        #[test]
        fn garbage_stays_within_bounds(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok((body, used, _)) = decode(&[&bytes]) {
                prop_assert!(body.len() <= used && used <= bytes.len());
            }
        }
    }
}
