//! Faults of the connection itself.

use headcount_load::{Fault, FaultKind};

/// The fault of a server that violates the protocol.
pub(crate) fn malformed(sentence: String) -> Fault {
    Fault::session(FaultKind::Malformed, sentence)
}
