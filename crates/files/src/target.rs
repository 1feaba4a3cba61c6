//! A folder of this machine as a target, and the data set in it.

use headcount_load::Target;
use headcount_load::target::{OnStatus, Order, value};
use serde_json::Value;

use crate::provision::{self, ProvisionError};
use crate::{Files, FilesOptions};

impl Target for FilesOptions {
    type Protocol = Files;
    type Error = ProvisionError;

    fn protocol(self) -> Result<Files, ProvisionError> {
        Ok(Files::new(self)?)
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
