//! How far a conversation with a server is, for the error if it takes too long.

use std::cell::Cell;
use std::time::Duration;

use headcount_load::{Fault, FaultKind};

/// The first stage of every conversation.
const CONNECTING: &str = "the connection";

tokio::task_local! {
    /// What the conversation waits for. Only conversations with a time limit have one: users in a
    /// run do not.
    static STAGE: Cell<&'static str>;
}

/// Notes that the conversation now waits for a connection.
pub fn connect() {
    enter(CONNECTING);
}

/// Notes what the conversation now waits for.
pub fn enter(stage: &'static str) {
    let _ = STAGE.try_with(|cell| cell.set(stage)); // not set in a run
}

/// Ends a conversation with the server at `address` after `limit`, even if the server keeps
/// sending.
///
/// The fault `timeout` names the address and what the conversation waited for. Other faults name
/// the address if the server broke the protocol or the connection.
pub async fn within<T>(
    limit: Duration,
    address: &str,
    conversation: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let limited = async {
        let ended = tokio::time::timeout(limit, conversation).await;
        ended.unwrap_or_else(|_| Err(Fault::session(FaultKind::Timeout, late(limit, address))))
    };
    let ended = STAGE.scope(Cell::new(CONNECTING), limited).await;
    ended.map_err(|fault| with_address(address, fault))
}

/// The message about a server that takes too long.
pub fn late(limit: Duration, address: &str) -> String {
    match STAGE.try_with(Cell::get) {
        Ok(stage) if stage != CONNECTING => {
            format!("no answer from {address} within {limit:?}: it did not get past {stage}")
        }
        _ => format!("no connection to {address} within {limit:?}"),
    }
}

/// The fault with the address, unless it is about the user or names it already.
fn with_address(address: &str, fault: Fault) -> Fault {
    let is_of_server = matches!(
        fault.kind,
        FaultKind::Connect | FaultKind::Disconnected | FaultKind::Malformed
    );
    if !is_of_server || fault.message.contains(address) {
        return fault;
    }
    Fault {
        message: format!("{address}: {}", fault.message).into(),
        ..fault
    }
}
