//! The contexts of CREATE requests and responses (MS-SMB2 2.2.13.2, 2.2.14.2).

use super::FileId;
use super::fields::{Put, slice, u16_at, u32_at};

/// Bytes of a context's head, and of its name with padding.
const HEAD_BYTES: usize = 16 + 8;
/// The lease state: caching of reads, handles and writes (MS-SMB2 2.2.13.2.8).
const READ_HANDLE_WRITE: u32 = 7;

/// A durable handle: it outlives its connection for a while, so that its user can reclaim it.
///
/// Dialect 2.1 identifies it by the server's id alone; from 3.0 on the client adds its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durable {
    /// The client's id of the handle, from dialect 3.0 on.
    pub number: Option<[u8; 16]>,
    /// The handle to reclaim; `None` to make a new handle durable.
    pub back: Option<FileId>,
}

impl Durable {
    /// Name and data of the context (MS-SMB2 2.2.13.2.3, 2.2.13.2.4, 2.2.13.2.11, 2.2.13.2.12).
    fn parts(&self) -> ([u8; 4], Vec<u8>) {
        let mut data = Vec::with_capacity(36);
        let name = match (self.number, self.back) {
            (None, None) => {
                data.put_zeros(16);
                *b"DHnQ"
            }
            (None, Some(file)) => {
                data.put(&file);
                *b"DHnC"
            }
            (Some(number), None) => {
                data.put_u32(0); // timeout: the server chooses
                data.put_u32(0); // durable, not persistent
                data.put_zeros(8);
                data.put(&number);
                *b"DH2Q"
            }
            (Some(number), Some(file)) => {
                data.put(&file);
                data.put(&number);
                data.put_u32(0);
                *b"DH2C"
            }
        };
        (name, data)
    }
}

/// Appends the contexts of a CREATE: a lease with this key, and a request for a durable handle.
pub(super) fn encode(out: &mut Vec<u8>, lease: Option<[u8; 16]>, durable: Option<Durable>) {
    let durable = durable.map(|durable| durable.parts());
    if let Some(key) = lease {
        let mut data = Vec::with_capacity(32);
        data.put(&key);
        data.put_u32(READ_HANDLE_WRITE);
        data.put_zeros(12);
        append(out, *b"RqLs", &data, durable.is_none());
    }
    if let Some((name, data)) = durable {
        append(out, name, &data, true);
    }
}

fn append(out: &mut Vec<u8>, name: [u8; 4], data: &[u8], is_last: bool) {
    let bytes = (HEAD_BYTES + data.len()).next_multiple_of(8);
    out.put_u32(if is_last { 0 } else { bytes as u32 });
    out.put_u16(16);
    out.put_u16(4);
    out.put_u16(0);
    out.put_u16(HEAD_BYTES as u16);
    out.put_u32(data.len() as u32);
    out.put(&name);
    out.put_zeros(4);
    out.put(data);
    if !is_last {
        out.put_zeros(bytes - HEAD_BYTES - data.len());
    }
}

/// Whether the contexts of a response say that the handle is durable (MS-SMB2 2.2.14.2.3,
/// 2.2.14.2.12). A malformed context ends the search.
pub(super) fn grants_durable(contexts: &[u8]) -> bool {
    let mut rest = contexts;
    loop {
        let name = u16_at(rest, 4).zip(u16_at(rest, 6));
        let name = name.and_then(|(at, length)| slice(rest, at.into(), length.into()));
        if let Some(b"DHnQ" | b"DH2Q") = name {
            return true;
        }
        let next = u32_at(rest, 0).unwrap_or(0) as usize;
        match rest.get(next..) {
            Some(after) if next > 0 => rest = after,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(lease: Option<[u8; 16]>, durable: Option<Durable>) -> Vec<u8> {
        let mut out = Vec::new();
        encode(&mut out, lease, durable);
        out
    }

    #[test]
    fn contexts_have_the_sizes_and_names_of_the_specification() {
        let of = |number: bool, back: bool| {
            let number = number.then_some([7; 16]);
            let back = back.then_some([9; 16]);
            encoded(None, Some(Durable { number, back }))
        };
        for (number, back, name, bytes) in [
            (false, false, b"DHnQ", 16),
            (false, true, b"DHnC", 16),
            (true, false, b"DH2Q", 32),
            (true, true, b"DH2C", 36),
        ] {
            let out = of(number, back);
            assert_eq!(&out[16..20], name);
            assert_eq!(u32_at(&out, 12), Some(bytes));
            assert_eq!(out.len(), HEAD_BYTES + bytes as usize);
        }
        assert_eq!(of(true, false)[HEAD_BYTES + 16..], [7; 16]);
        assert_eq!(
            of(true, true)[HEAD_BYTES..][..32],
            [[9; 16], [7; 16]].concat()
        );
    }

    #[test]
    fn a_context_after_a_lease_is_found_unless_damaged() {
        let number = Some([7; 16]);
        let durable = Some(Durable { number, back: None });
        let both = encoded(Some([1; 16]), durable);
        assert_eq!(u32_at(&both, 0), Some(56));
        assert!(grants_durable(&both));
        assert!(!grants_durable(&encoded(Some([1; 16]), None)));
        for length in 0..both.len() {
            let found = grants_durable(&both[..length]);
            assert_eq!(found, length >= 56 + 20, "{length}");
        }
        let endless = [[0xFF; 4], [0; 4]].concat();
        assert!(!grants_durable(&endless));
    }
}
