//! An SMB server as a target: its shares, and the data sets on them.

use headcount_load::Target;
use headcount_load::target::{OnStatus, Order, value};
use serde_json::Value;

use crate::client::provision::{self, ProvisionError};
use crate::{Smb, SmbOptions};

impl Target for SmbOptions {
    type Protocol = Smb;
    type Error = ProvisionError;

    fn protocol(self) -> Result<Smb, ProvisionError> {
        Ok(Smb::new(self)?)
    }

    fn hello(self) -> Result<Value, ProvisionError> {
        provision::hello(self).map(|hello| value(&hello))
    }

    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::prepare(self, &order, &mut |far| on_status(value(&far)))
            .map(|prepared| value(&prepared))
    }

    fn cleanup(self, _order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::cleanup(self, &mut |far| on_status(value(&far))).map(|cleaned| value(&cleaned))
    }
}
