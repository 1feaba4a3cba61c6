//! An answer as it arrives, piece by piece: its heads, then its body, which is checked and dropped.

use super::chunked::Chunked;
use super::excerpt::Excerpt;
use super::head::{Coding, Framing, Head, parse};
use super::kept::Kept;
use super::sink::{Checker, Sink};
use crate::pages::content::Owner;

/// Bytes of one head. More than servers allow in requests, and far more than any sends.
const MOST_HEAD_BYTES: usize = 64 << 10;

/// Interim answers to one request; each is a head of its own.
pub(crate) const MOST_INTERIM: u8 = 10;

/// A chunk with less than this left is read, not discarded: one read takes many chunks with the
/// sizes between them, for what it costs to copy them.
const LEAST_CHUNK_BYTES: u64 = 16 << 10;

const TOO_MUCH: &str = "the server sent more than its answer";

/// An answer under way.
#[derive(Debug, Default)]
pub struct Reply {
    /// Whether the request was HEAD.
    of_head: bool,
    /// The page whose contents are to be checked, if any.
    wanted: Option<Owner>,
    head: Option<Head>,
    interim: u8,
    /// The beginning of an incomplete head; nearly always empty.
    carry: Vec<u8>,
    /// Bytes of the body still to come, if their number is known.
    left: u64,
    chunked: Chunked,
    /// Bytes of the body so far, without its framing.
    received: u64,
    is_over: bool,
    sink: Option<Sink>,
    /// The beginning of an error's body.
    excerpt: Option<Box<Excerpt>>,
    /// The body, if it is wanted whole.
    kept: Option<Kept>,
}

impl Reply {
    /// An answer of which nothing has come: to HEAD or not, and with a page's contents to check or
    /// not.
    #[must_use]
    pub fn new(of_head: bool, wanted: Option<Owner>) -> Self {
        Self {
            of_head,
            wanted,
            ..Self::default()
        }
    }

    /// The same, keeping the whole body unless it is longer than `most_bytes`.
    #[must_use]
    pub fn keeping(self, most_bytes: usize) -> Self {
        Self {
            kept: Some(Kept::new(most_bytes)),
            ..self
        }
    }

    /// The kept body; `None` if it was not to be kept, or is too long.
    pub fn take_body_kept(&mut self) -> Option<Vec<u8>> {
        self.kept.take()?.whole()
    }

    /// Takes out what has come of a kept body since the last call.
    pub fn drain_kept(&mut self) -> Vec<u8> {
        self.kept.as_mut().map(Kept::drain).unwrap_or_default()
    }

    /// What has come of a kept body.
    #[must_use]
    pub fn body_kept(&self) -> Option<&[u8]> {
        self.kept.as_ref().map(Kept::so_far)
    }

    /// The head, once it has come.
    #[must_use]
    pub const fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Whether the whole answer has come.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether nothing of it has come.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.head.is_none() && self.interim == 0 && self.carry.is_empty()
    }

    /// Whether contents are to be checked, as far as the head allows.
    #[must_use]
    pub const fn wants_contents(&self) -> bool {
        self.wanted.is_some()
    }

    /// Bytes of the body so far.
    #[must_use]
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// The check of the contents, if there is one.
    pub const fn take_sink(&mut self) -> Option<Sink> {
        self.sink.take()
    }

    /// The first words of an error's body, if they can be read.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        self.excerpt.as_ref().and_then(|excerpt| excerpt.text())
    }

    /// Reads what arrived. `each` gets the headers of the final answer. The error is a sentence.
    pub fn take(
        &mut self,
        mut bytes: &[u8],
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<(), String> {
        while self.head.is_none() && !bytes.is_empty() {
            let used = self.take_head(bytes, each)?;
            bytes = &bytes[used..];
        }
        let used = self.take_body(bytes)?;
        if used < bytes.len() {
            return Err(TOO_MUCH.into());
        }
        Ok(())
    }

    /// Reads bytes up to the end of a head, and returns how many.
    fn take_head(
        &mut self,
        bytes: &[u8],
        each: &mut dyn FnMut(&str, &[u8]),
    ) -> Result<usize, String> {
        let carried = self.carry.len();
        let parsed = if carried == 0 {
            parse(bytes, self.of_head, each)?
        } else {
            self.carry.extend_from_slice(bytes);
            parse(&self.carry, self.of_head, each)?
        };
        let Some((head, length)) = parsed else {
            if carried == 0 {
                self.carry.extend_from_slice(bytes);
            }
            if self.carry.len() > MOST_HEAD_BYTES {
                return Err(format!(
                    "the head of the answer exceeds {MOST_HEAD_BYTES} bytes"
                ));
            }
            return Ok(bytes.len());
        };
        self.carry = Vec::new();
        if head.is_interim() {
            self.interim += 1;
            if self.interim > MOST_INTERIM {
                return Err(format!("more than {MOST_INTERIM} interim answers came"));
            }
        } else {
            self.begin(head);
        }
        Ok(length - carried)
    }

    /// Takes the head; what follows is the body.
    pub fn begin(&mut self, head: Head) {
        self.head = Some(head);
        if let Framing::Length(length) = head.framing {
            self.left = length;
        }
        self.is_over = matches!(head.framing, Framing::Empty | Framing::Length(0));
        if head.status == 200 && !self.of_head {
            self.sink = self
                .wanted
                .and_then(|owner| Sink::new(head.coding, Checker::new(owner)));
        }
        if head.status >= 400 && head.coding == Coding::Identity {
            self.excerpt = Some(Box::default());
        }
    }

    /// Reads bytes of the body, and returns how many.
    fn take_body(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let framing = match self.head {
            Some(head) if !self.is_over => head.framing,
            _ => return Ok(0),
        };
        let (received, sink) = (&mut self.received, &mut self.sink);
        let (excerpt, kept) = (&mut self.excerpt, &mut self.kept);
        let mut data = |data: &[u8]| {
            *received += data.len() as u64;
            if let Some(sink) = sink {
                sink.take(data);
            }
            if let Some(excerpt) = excerpt {
                excerpt.take(data);
            }
            if let Some(kept) = kept {
                kept.take(data);
            }
        };
        match framing {
            Framing::Empty => Ok(0),
            Framing::Length(_) => {
                let length = bytes
                    .len()
                    .min(usize::try_from(self.left).unwrap_or(usize::MAX));
                data(&bytes[..length]);
                self.left -= length as u64;
                self.is_over = self.left == 0;
                Ok(length)
            }
            Framing::Chunked => {
                let used = self.chunked.take(bytes, data)?;
                self.is_over = self.chunked.is_over();
                Ok(used)
            }
            Framing::UntilClose => {
                data(bytes);
                Ok(bytes.len())
            }
        }
    }

    /// How many bytes may be discarded unread, because nobody wants them. If the length is known it
    /// is one more than what is left, so that an excess is noticed.
    #[must_use]
    pub fn discardable(&self) -> u64 {
        let is_excerpt = self.excerpt.as_ref().is_some_and(|kept| !kept.is_full());
        let is_kept = is_excerpt || self.kept.is_some();
        let is_unread = !self.is_over && self.sink.is_none() && !is_kept;
        let Some(head) = self.head.filter(|_| is_unread) else {
            return 0;
        };
        match head.framing {
            Framing::Empty => 0,
            Framing::Length(_) => self.left.saturating_add(1),
            Framing::Chunked if self.chunked.left() < LEAST_CHUNK_BYTES => 0,
            Framing::Chunked => self.chunked.left(),
            Framing::UntilClose => u64::MAX,
        }
    }

    /// Notes that bytes were discarded, at most [`Reply::discardable`]. The error is a sentence.
    pub fn discarded(&mut self, bytes: u64) -> Result<(), String> {
        self.received += bytes;
        match self.head.map(|head| head.framing) {
            Some(Framing::Length(_)) => {
                if bytes > self.left {
                    return Err(TOO_MUCH.into());
                }
                self.left -= bytes;
                self.is_over = self.left == 0;
            }
            Some(Framing::Chunked) => self.chunked.skip(bytes),
            _ => {}
        }
        Ok(())
    }

    /// Ends the answer, because the server closed the connection. The error says what is missing.
    pub fn close(&mut self) -> Result<(), String> {
        let Some(head) = self.head else {
            let sentence = if self.is_untouched() {
                "the server closed the connection instead of answering"
            } else {
                "the server closed the connection in the head of its answer"
            };
            return Err(sentence.into());
        };
        let received = self.received;
        match head.framing {
            _ if self.is_over => Ok(()),
            Framing::UntilClose => {
                self.is_over = true;
                Ok(())
            }
            Framing::Length(length) => Err(format!(
                "the server closed the connection after {received} of {length} bytes of the body"
            )),
            _ => Err(format!(
                "the server closed the connection after {received} bytes of a body in chunks"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Reply, String> {
        let mut reply = Reply::new(false, None);
        for piece in pieces {
            reply.take(piece, &mut |_, _| {})?;
        }
        Ok(reply)
    }

    const CHUNKED: &[u8] =
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 \
          OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\nhello\r\n3\r\n yo\r\n0\r\nA: \
          b\r\n\r\n";

    #[test]
    fn interim_answers_are_skipped() {
        let reply = read(&[CHUNKED]).unwrap();
        assert!(reply.is_over());
        assert_eq!((reply.received(), reply.head().unwrap().status), (8, 200));
        let many = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(11);
        assert!(read(&[&many]).unwrap_err().contains("interim"));
    }

    #[test]
    fn discarding_stops_before_what_must_be_read() {
        let mut reply = read(&[b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"]).unwrap();
        assert_eq!(reply.discardable(), 8);
        reply.discarded(7).unwrap();
        assert!(reply.is_over());
        assert_eq!((reply.received(), reply.discardable()), (10, 0));
        let mut reply = read(&[b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"]).unwrap();
        assert_eq!(reply.discarded(8), Err(TOO_MUCH.to_owned()));

        let mut reply =
            read(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10003\r\nabc"]).unwrap();
        assert_eq!(reply.discardable(), 65_536);
        reply.discarded(65_530).unwrap();
        assert_eq!(reply.discardable(), 0); // little is left: it is read with what follows
        reply.take(b"uvwxyz", &mut |_, _| {}).unwrap();
        reply.take(b"\r\n0\r\n\r\n", &mut |_, _| {}).unwrap();
        assert!(reply.is_over());
        assert_eq!(reply.received(), 65_539);
    }

    #[test]
    fn a_close_completes_the_answer_or_is_an_error() {
        let close = |bytes: &[u8]| read(&[bytes]).unwrap().close();
        assert_eq!(close(b"HTTP/1.0 200 OK\r\n\r\nhalf of it"), Ok(()));
        for (bytes, part) in [
            (&b""[..], "instead of answering"),
            (b"HTTP/1.1 200 OK\r\nConte", "in the head"),
            (b"HTTP/1.1 100 Continue\r\n\r\n", "in the head"),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                "3 of 9 bytes",
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
                "2 bytes of a body",
            ),
        ] {
            let sentence = close(bytes).unwrap_err();
            assert!(sentence.contains(part), "{sentence}");
        }
    }

    #[test]
    fn excess_data_and_endless_heads_are_refused() {
        for bytes in [
            &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc"[..],
            b"HTTP/1.1 204 No Content\r\n\r\nx",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
        ] {
            assert!(read(&[bytes]).unwrap_err().contains("more than its answer"));
        }
        let endless = [&b"HTTP/1.1 200 OK\r\nA: "[..], &vec![b'x'; 70_000]].concat();
        let sentence = read(&[&endless]).unwrap_err();
        assert!(sentence.contains("exceeds 65536 bytes"));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(CHUNKED.len())).collect();
            ends.extend([0, CHUNKED.len()]);
            ends.sort_unstable();
            let pieces: Vec<_> = ends.windows(2).map(|pair| &CHUNKED[pair[0]..pair[1]]).collect();
            let reply = read(&pieces).unwrap();
            prop_assert!(reply.is_over());
            prop_assert_eq!(reply.received(), 8);
        }
    }
}
