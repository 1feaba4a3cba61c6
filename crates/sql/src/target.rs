//! A database as a target, and the schema in it.

use headcount_load::target::{OnStatus, Order, value};
use headcount_load::{Fault, Protocol, Target, User};
use serde_json::Value;

use crate::provision::{self, ProvisionError};
use crate::step::SqlStep;
use crate::{Sql, SqlOptions, SqlSession, task};

impl Target for SqlOptions {
    type Protocol = Sql;
    type Error = ProvisionError;

    fn protocol(self) -> Result<Sql, ProvisionError> {
        Ok(Sql::new(self)?)
    }

    fn hello(self) -> Result<Value, ProvisionError> {
        provision::hello(self).map(|hello| value(&hello))
    }

    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::prepare(self, order.read_through, &mut |far| on_status(value(&far)))
            .map(|prepared| value(&prepared))
    }

    fn cleanup(
        self,
        _order: Order,
        _on_status: &mut OnStatus<'_>,
    ) -> Result<Value, ProvisionError> {
        provision::cleanup(self).map(|cleaned| value(&cleaned))
    }
}

impl Protocol for Sql {
    type Step = SqlStep;
    type Session = SqlSession;

    fn requests() -> Vec<&'static str> {
        vec!["prepare", "execute", "retry", "rollback"]
    }

    fn tasks() -> Vec<&'static str> {
        task::NAMES.to_vec()
    }

    async fn open(&self, user: &mut User) -> Result<SqlSession, Fault> {
        // Boxed while it runs: otherwise every user's future would reserve room for it.
        Box::pin(SqlSession::open(&self.shared, user)).await
    }
}
