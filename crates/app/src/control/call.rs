//! One blocking conversation with a server.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use headcount_load::clock::Origin;
use headcount_load::fault::words;
use serde::de::DeserializeOwned;

use super::{ControlError, Target, resolve};
use crate::frame::{HEADER_BYTES, Kind, header};
use crate::message::{Hello, PROTOCOL};
use crate::reply::{Code, Reply};
use crate::request::Request;

/// A connection that has exchanged hello.
pub(super) struct Call<'a> {
    target: &'a Target,
    stream: TcpStream,
    received: Vec<u8>,
}

impl<'a> Call<'a> {
    pub(super) fn open(target: &'a Target) -> Result<(Self, Hello), ControlError> {
        let stream = connect(target)?;
        let mut call = Self {
            target,
            stream,
            received: Vec::new(),
        };
        let token = target.token.as_deref().unwrap_or_default().as_bytes();
        call.send(&Request::Hello {
            protocol: PROTOCOL,
            token,
        })?;
        let (kind, json) = call.receive().map_err(|error| call.at_hello(error))?;
        let hello: Hello = call.parse(kind, Kind::Hello, &json)?;
        if hello.protocol == PROTOCOL {
            Ok((call, hello))
        } else {
            let address = target.address.clone();
            Err(ControlError::VersionMismatch {
                address,
                server: hello.protocol,
            })
        }
    }

    /// A peer that closes at once without a reply is not an application server.
    fn at_hello(&self, error: ControlError) -> ControlError {
        match error {
            ControlError::Lost { .. } if self.received.is_empty() => {
                self.foreign("it closed the connection without a word".into())
            }
            other => other,
        }
    }

    pub(super) fn foreign(&self, reason: String) -> ControlError {
        ControlError::NotAppServer {
            address: self.target.address.clone(),
            reason,
        }
    }

    fn lost(&self, reason: &impl ToString) -> ControlError {
        let address = self.target.address.clone();
        ControlError::Lost {
            address,
            reason: reason.to_string(),
        }
    }

    pub(super) fn send(&mut self, request: &Request<'_>) -> Result<(), ControlError> {
        let mut frame = Vec::new();
        request.encode(&mut frame);
        self.stream
            .write_all(&frame)
            .map_err(|error| self.lost(&error))
    }

    /// The next reply: its kind and its JSON. An error reply becomes an error.
    ///
    /// The whole reply must arrive within the target's time limit, however slowly the server sends.
    pub(super) fn receive(&mut self) -> Result<(Kind, Vec<u8>), ControlError> {
        let began = Origin::now();
        let head = loop {
            let head = header(&self.received).map_err(|error| self.foreign(error.to_string()))?;
            match head {
                Some(head) if self.received.len() >= head.frame_bytes() => break head,
                _ => self.read_more(began)?,
            }
        };
        if !head.is_reply {
            return Err(self.foreign("a request came as a reply".into()));
        }
        let frame: Vec<u8> = self.received.drain(..head.frame_bytes()).collect();
        match Reply::parse(head.kind, &frame[HEADER_BYTES..]) {
            Some(Reply::Json(kind, json)) => Ok((kind, json.to_vec())),
            Some(Reply::Error { code, message }) => Err(self.refusal(code, message)),
            _ => Err(self.foreign(format!("it sent a reply unasked: {}", head.kind.name()))),
        }
    }

    fn read_more(&mut self, began: Origin) -> Result<(), ControlError> {
        let passed = Duration::from_nanos(began.elapsed_ns());
        let left = self.target.timeout.saturating_sub(passed);
        if left.is_zero() {
            return Err(self.late());
        }
        self.stream
            .set_read_timeout(Some(left))
            .map_err(|error| self.lost(&error))?;
        let mut chunk = [0; 16 << 10];
        match self.stream.read(&mut chunk) {
            Ok(0) => Err(self.lost(&"the server closed it")),
            Ok(length) => {
                self.received.extend_from_slice(&chunk[..length]);
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(self.late())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(self.lost(&error)),
        }
    }

    /// The error for an answer that did not begin, or did not end, in time.
    fn late(&self) -> ControlError {
        let Target {
            address, timeout, ..
        } = self.target;
        let (address, timeout_s) = (address.clone(), timeout.as_secs_f64());
        if self.received.is_empty() {
            ControlError::Silent { address, timeout_s }
        } else {
            ControlError::Slow { address, timeout_s }
        }
    }

    fn refusal(&self, code: Code, message: &str) -> ControlError {
        let (address, reason) = (self.target.address.clone(), words(message));
        match code {
            Code::NoSpace => ControlError::NoSpace(reason),
            Code::Token => ControlError::Token { address, reason },
            _ => ControlError::Refused { address, reason },
        }
    }

    /// The message in a reply of the expected kind.
    pub(super) fn parse<T: DeserializeOwned>(
        &self,
        kind: Kind,
        expected: Kind,
        json: &[u8],
    ) -> Result<T, ControlError> {
        if kind != expected {
            let (kind, expected) = (kind.name(), expected.name());
            return Err(self.foreign(format!("a {kind} reply came instead of {expected}")));
        }
        serde_json::from_slice(json).map_err(|error| {
            let reason = words(&error.to_string());
            self.foreign(format!("its {} reply: {reason}", expected.name()))
        })
    }
}

/// Connects to the first of the target's addresses that answers.
fn connect(target: &Target) -> Result<TcpStream, ControlError> {
    let addresses = resolve(&target.address)?;
    let attempt = |address| {
        let stream = TcpStream::connect_timeout(address, target.timeout)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(target.timeout))?;
        stream.set_write_timeout(Some(target.timeout))?;
        Ok::<_, std::io::Error>(stream)
    };
    let mut reason = String::new();
    for address in &addresses {
        match attempt(address) {
            Ok(stream) => return Ok(stream),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(ControlError::Unreachable {
        address: target.address.clone(),
        reason,
    })
}
