//! A protocol's target: where its server is, as JSON says it, and what it can be asked outside of a
//! run.

use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blame::Blamed;
use crate::protocol::Protocol;

/// Whose data, and how well it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The first user of the run, from 0.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// Whether data that is there is read, and made anew where it is damaged. Otherwise a user
    /// whose data was once complete is left alone.
    pub read_through: bool,
}

impl Order {
    /// The users, in order.
    #[must_use]
    pub fn users(self) -> std::vec::IntoIter<u32> {
        (self.first..=self.last).collect::<Vec<u32>>().into_iter()
    }
}

/// Gets how far it is a few times a second; answers whether to go on.
pub type OnStatus<'a> = dyn FnMut(Value) -> ControlFlow<()> + 'a;

/// A protocol's target. By default it has nobody to ask and no data set.
pub trait Target: DeserializeOwned + Send {
    /// What plays users on it.
    type Protocol: Protocol;
    /// Why it cannot be used, or does not answer.
    type Error: Blamed + Send;

    /// What plays users; sends nothing.
    fn protocol(self) -> Result<Self::Protocol, Self::Error>;

    /// Says who answers, and on which terms.
    fn hello(self) -> Result<Value, Self::Error> {
        Ok(Value::Null)
    }

    /// Makes what is missing of the data of these users; says what was done.
    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, Self::Error> {
        let _ = (order, on_status);
        Ok(Value::Null)
    }

    /// Deletes the data of these users, and nothing else; says what was deleted. Protocols that
    /// keep the data of all users together delete all of it.
    fn cleanup(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, Self::Error> {
        let _ = (order, on_status);
        Ok(Value::Null)
    }
}

/// What was found or done, as JSON: plain figures and texts always have a form.
#[must_use]
pub fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_has_all_its_users() {
        let order = Order {
            first: 3,
            last: 5,
            read_through: false,
        };
        assert_eq!(order.users().collect::<Vec<_>>(), [3, 4, 5]);
    }
}
