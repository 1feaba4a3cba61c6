//! A Redis server as a target, and the keys on it.

use headcount_load::target::{OnStatus, Order, value};
use headcount_load::{Fault, Protocol, Target, User};
use serde_json::Value;

use crate::client::REQUESTS;
use crate::provision::{self, ProvisionError};
use crate::{Redis, RedisOptions, RedisSession, RedisStep};

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

impl Protocol for Redis {
    type Step = RedisStep;
    type Session = RedisSession;

    fn requests() -> Vec<&'static str> {
        REQUESTS.to_vec()
    }

    async fn open(&self, user: &mut User) -> Result<RedisSession, Fault> {
        RedisSession::open(self, user).await
    }
}
