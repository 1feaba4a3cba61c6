//! An application server as a target: where it is, and the shape of its data set.

use std::time::Duration;

use headcount_load::Target;
use headcount_load::target::{OnStatus, Order, value};
use serde::Deserialize;
use serde_json::Value;

use crate::client::{App, AppOptions};
use crate::control::{self, ControlError};
use crate::message::{self, Shape};

/// Waiting for a mute server's hello should not take as long as preparing a data set.
const HELLO: Duration = Duration::from_secs(10);

/// Where the application server is, and the shape of its data set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppTarget {
    address: String,
    file_bytes: u64,
    range_bytes: u64,
    seed: u64,
    #[serde(default)]
    token: Option<String>,
}

impl AppTarget {
    fn server(&self) -> control::Target {
        control::Target {
            token: self.token.clone(),
            ..control::Target::new(&self.address)
        }
    }
}

impl Target for AppTarget {
    type Protocol = App;
    type Error = ControlError;

    fn protocol(self) -> Result<App, ControlError> {
        App::new(AppOptions {
            file_bytes: self.file_bytes,
            range_bytes: self.range_bytes,
            token: self.token,
            ..AppOptions::new(self.address, self.seed)
        })
    }

    fn hello(self) -> Result<Value, ControlError> {
        let server = control::Target {
            timeout: HELLO,
            ..self.server()
        };
        control::hello(&server).map(|hello| value(&hello))
    }

    fn prepare(self, order: Order, on_status: &mut OnStatus<'_>) -> Result<Value, ControlError> {
        let Order {
            first,
            last,
            read_through,
        } = order;
        let order = message::Order {
            first,
            last,
            shape: Shape {
                seed: self.seed,
                file_bytes: self.file_bytes,
                range_bytes: self.range_bytes,
            },
            read_through,
        };
        control::prepare(&self.server(), &order, |far| on_status(value(&far)))
            .map(|prepared| value(&prepared))
    }

    fn cleanup(self, _order: Order, _on_status: &mut OnStatus<'_>) -> Result<Value, ControlError> {
        control::cleanup(&self.server()).map(|cleaned| value(&cleaned))
    }
}
