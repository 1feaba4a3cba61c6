//! A mail service as a target, and the mailboxes on it.

use headcount_load::Target;
use headcount_load::target::{OnStatus, Order, value};
use serde_json::Value;

use crate::client::provision::{self, ProvisionError};
use crate::{Mail, MailOptions};

impl Target for MailOptions {
    type Protocol = Mail;
    type Error = ProvisionError;

    fn protocol(self) -> Result<Mail, ProvisionError> {
        Ok(Mail::new(self)?)
    }

    fn hello(self) -> Result<Value, ProvisionError> {
        provision::hello(self).map(|hello| value(&hello))
    }

    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::prepare(self, &order, &mut |far| on_status(value(&far)))
            .map(|prepared| value(&prepared))
    }

    fn cleanup(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ProvisionError> {
        provision::cleanup(self, &order, &mut |far| on_status(value(&far)))
            .map(|cleaned| value(&cleaned))
    }
}
