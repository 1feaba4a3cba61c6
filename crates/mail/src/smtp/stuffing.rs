//! Doubles dots at the beginning of lines (RFC 5321, 4.5.2).

use memchr::memchr_iter;

/// Stuffs a message that is sent in pieces.
#[derive(Debug, Clone, Copy)]
pub struct Stuffing {
    /// The last two bytes so far; a message begins like a new line.
    last: [u8; 2],
}

impl Stuffing {
    /// The state at the beginning of a message.
    pub const fn new() -> Self {
        Self { last: *b"\r\n" }
    }

    /// Doubles the dots in the piece of `out` from `from` on.
    pub fn stuff(&mut self, out: &mut Vec<u8>, from: usize) {
        let Some(&end) = out[from..].last() else {
            return;
        };
        let before_end = if out.len() - from >= 2 {
            out[out.len() - 2]
        } else {
            self.last[1]
        };
        let begins_line = |at: usize, piece: &[u8]| {
            let before = if at == 0 { self.last[1] } else { piece[at - 1] };
            before == b'\n'
        };
        let piece = &out[from..];
        let first = memchr_iter(b'.', piece).find(|&at| begins_line(at, piece));
        if let Some(first) = first {
            let rest = out.split_off(from + first);
            let mut done = 0;
            for at in memchr_iter(b'.', &rest).filter(|&at| at == 0 || rest[at - 1] == b'\n') {
                out.extend_from_slice(&rest[done..at]);
                out.push(b'.');
                done = at;
            }
            out.extend_from_slice(&rest[done..]);
        }
        self.last = [before_end, end];
    }

    /// Appends the final dot.
    pub fn end(self, out: &mut Vec<u8>) {
        if self.last != *b"\r\n" {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b".\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn stuffed(pieces: &[&[u8]]) -> Vec<u8> {
        let (mut stuffing, mut sent) = (Stuffing::new(), Vec::new());
        for piece in pieces {
            let from = sent.len();
            sent.extend_from_slice(piece);
            stuffing.stuff(&mut sent, from);
        }
        stuffing.end(&mut sent);
        sent
    }

    /// What a server receives, line by line.
    fn received(sent: &[u8]) -> String {
        let text = String::from_utf8(sent.to_vec()).unwrap();
        let lines = text
            .split_inclusive("\r\n")
            .take_while(|line| *line != ".\r\n");
        lines
            .map(|line| line.strip_prefix('.').unwrap_or(line))
            .collect()
    }

    #[test]
    fn dots_at_the_start_of_lines_are_doubled() {
        assert_eq!(
            stuffed(&[b".a.\r\n..\r\n.\r\n"]),
            b"..a.\r\n...\r\n..\r\n.\r\n"
        );
        assert_eq!(stuffed(&[b"a\r\n", b".b"]), b"a\r\n..b\r\n.\r\n");
        assert_eq!(stuffed(&[b"a\r", b"\n", b"."]), b"a\r\n..\r\n.\r\n");
        assert_eq!(stuffed(&[]), b".\r\n");
    }

    proptest! {
        #[test]
        fn servers_receive_the_original_text(
            lines in vec("[.a]{0,4}", 0..20), cuts in vec(0_usize..100, 0..5),
        ) {
            let text: String = lines.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            prop_assert_eq!(received(&stuffed(&pieces)), text);
        }
    }
}
