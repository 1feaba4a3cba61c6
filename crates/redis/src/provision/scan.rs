//! SCAN: finds the server's keys with Headcount's prefix.

use std::cell::RefCell;

use headcount_load::{Fault, FaultKind};

use super::{ProvisionError, patient, unexpected};
use crate::keys::PREFIX;
use crate::resp::Reply;
use crate::session::RedisSession;

/// Keys that the server looks at in each SCAN.
const SCANNED: &[u8] = b"1000";
/// Most SCANs of a database: enough for a billion keys.
const MOST_SCANS: u32 = 1_000_000;

/// The position of a scan.
pub(super) struct Cursor {
    next: Vec<u8>,
    calls: u32,
}

impl Default for Cursor {
    /// At the beginning.
    fn default() -> Self {
        Self {
            next: b"0".to_vec(),
            calls: 0,
        }
    }
}

impl Cursor {
    pub(super) fn is_at_end(&self) -> bool {
        self.next == b"0"
    }

    /// Moves to the next cursor. Fails if the scan cannot end: a cursor never leads back to itself
    /// (redis.io, SCAN), and no server has enough keys for more than [`MOST_SCANS`] calls.
    fn go_on(&mut self, next: &[u8]) -> Result<(), Fault> {
        self.calls += 1;
        if (self.calls > 1 && next == self.next) || self.calls > MOST_SCANS {
            let sentence = "SCAN: the server's list of keys does not end";
            return Err(Fault::session(FaultKind::Malformed, sentence));
        }
        self.next = next.to_vec();
        Ok(())
    }
}

/// Sends one SCAN for keys with Headcount's prefix. Returns those found.
pub(super) async fn scan(
    session: &mut RedisSession,
    cursor: &mut Cursor,
) -> Result<Vec<Vec<u8>>, ProvisionError> {
    let pattern = format!("{PREFIX}*");
    let words: [&[u8]; 6] = [
        b"SCAN",
        &cursor.next,
        b"MATCH",
        pattern.as_bytes(),
        b"COUNT",
        SCANNED,
    ];
    let found = RefCell::new(None);
    let ask = session.ask(&words, |reply| {
        let Reply::Array(parts) = reply else {
            return Err(unexpected("SCAN", reply));
        };
        let [Reply::Bulk(Some(next)), Reply::Array(keys)] = &parts[..] else {
            return Err(unexpected("SCAN", reply));
        };
        let keys = keys.iter().filter_map(|key| match key {
            Reply::Bulk(Some(name)) => Some(name.to_vec()),
            _ => None,
        });
        *found.borrow_mut() = Some((next.to_vec(), keys.collect()));
        Ok(())
    });
    patient(ask, "SCAN").await?;
    let (next, keys): (Vec<u8>, Vec<Vec<u8>>) = found.into_inner().unwrap_or_default();
    cursor.go_on(&next)?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_that_cannot_end_is_an_error() {
        let mut cursor = Cursor::default();
        for next in ["8", "4", "0"] {
            cursor.go_on(next.as_bytes()).unwrap();
        }
        assert!(cursor.is_at_end());
        let mut circle = Cursor::default();
        circle.go_on(b"7").unwrap();
        let error = circle.go_on(b"7").unwrap_err();
        assert_eq!(
            &*error.message,
            "SCAN: the server's list of keys does not end"
        );
        // A new cursor with every call.
        let mut endless = Cursor::default();
        let calls =
            (1..).take_while(|call: &u32| endless.go_on(call.to_string().as_bytes()).is_ok());
        assert_eq!(calls.count(), MOST_SCANS as usize);
    }
}
