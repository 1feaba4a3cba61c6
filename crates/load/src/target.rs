//! A protocol's target: where its server is, read from JSON, and what it can be asked outside a
//! run.

use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blame::Blamed;
use crate::protocol::Protocol;

/// The users whose data is meant, and how closely it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The first user of the run, from 0.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// Whether to read existing data, and repair what is damaged. Otherwise users whose data was
    /// once complete are skipped.
    pub read_through: bool,
}

impl Order {
    /// The users, in order.
    #[must_use]
    pub fn users(self) -> std::vec::IntoIter<u32> {
        (self.first..=self.last).collect::<Vec<u32>>().into_iter()
    }
}

/// Called a few times a second with the progress; returns whether to go on.
pub type OnStatus<'a> = dyn FnMut(Value) -> ControlFlow<()> + 'a;

/// A protocol's target. By default it answers nothing and has no data set.
pub trait Target: DeserializeOwned + Send {
    /// The protocol that plays users on it.
    type Protocol: Protocol;
    /// Why it cannot be used, or does not answer.
    type Error: Blamed + Send;

    /// The protocol for this target; sends nothing.
    fn protocol(self) -> Result<Self::Protocol, Self::Error>;

    /// Asks which server answers, and on which terms.
    fn hello(self) -> Result<Value, Self::Error> {
        Ok(Value::Null)
    }

    /// Creates what is missing of these users' data; returns what was done.
    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, Self::Error> {
        let _ = (order, on_status);
        Ok(Value::Null)
    }

    /// Deletes the data of these users, and nothing else; returns what was deleted. Protocols that
    /// keep the data of all users together delete all of it.
    fn cleanup(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, Self::Error> {
        let _ = (order, on_status);
        Ok(Value::Null)
    }
}

/// A result as JSON. Plain figures and texts can always be serialised.
#[must_use]
pub fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_includes_its_first_and_last_user() {
        let order = Order {
            first: 3,
            last: 5,
            read_through: false,
        };
        assert_eq!(order.users().collect::<Vec<_>>(), [3, 4, 5]);
    }
}
