//! A Redis server as a target, and the keys on it.

use headcount_load::Target;
use headcount_load::target::{OnStatus, Order, value};
use serde_json::Value;

use crate::provision::{self, ProvisionError};
use crate::{Redis, RedisOptions};

impl Target for RedisOptions {
    type Protocol = Redis;
    type Error = ProvisionError;

    fn protocol(self) -> Result<Redis, ProvisionError> {
        Ok(Redis::new(self)?)
    }

    fn hello(self) -> Result<Value, ProvisionError> {
        provision::hello(self).map(|hello| value(&hello))
    }

    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::prepare(self, order, on_status).map(|prepared| value(&prepared))
    }

    fn cleanup(self, _order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::cleanup(self, on_status).map(|cleaned| value(&cleaned))
    }
}
