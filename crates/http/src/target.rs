//! A web server as a target. HTTP cannot create its pages: [`crate::pages::tree`] writes them.

use headcount_load::Target;
use headcount_load::target::value;
use serde_json::Value;

use crate::client::inspect;
use crate::{Http, HttpError, HttpOptions};

impl Target for HttpOptions {
    type Protocol = Http;
    type Error = HttpError;

    fn protocol(self) -> Result<Http, HttpError> {
        Http::new(self)
    }

    fn hello(self) -> Result<Value, HttpError> {
        inspect::hello(self).map(|hello| value(&hello))
    }
}
