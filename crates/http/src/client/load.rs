//! The resources of one page, while they are fetched.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use headcount_load::{Fault, FaultKind, User};
use http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

use super::ask::{Ask, Method, is_redirect};
use super::cache::{Cache, Known, Policy};
use super::exchange::unix_s;
use super::place::{Origin, Place};
use super::session::{Asked, HttpSession};
use crate::connection::http1::Until;
use crate::connection::{Connection, lost};

/// The most redirects that a resource may take.
const REDIRECTS: u8 = 10;

/// How often a resource is requested again if its connection ended without an answer. Servers close
/// connections that were idle, or had many requests, whenever they like.
const RETRIES: u8 = 2;

type UserHeaders = Vec<(HeaderName, HeaderValue)>;

/// A resource.
#[derive(Debug, Default)]
pub(super) struct Load {
    path: Box<str>,
    /// 0 before an answer has come.
    status: u16,
    pub(super) bytes: u64,
    took_ns: u64,
    /// Whether it was not requested, because it is in the user's cache.
    is_known: bool,
    /// The other server to which it was redirected.
    pub(super) elsewhere: Option<Box<str>>,
    retries: u8,
    fault: Option<Fault>,
}

impl Load {
    /// A trace entry, for a user who tries out a workload.
    pub(super) fn note(&self) -> Value {
        json!({
            "resource": self.path,
            "status": self.status,
            "received_bytes": self.bytes,
            "took_ms": self.took_ns as f64 / 1e6,
            "is_known": self.is_known,
        })
    }

    /// Its fault, with its path.
    pub(super) fn named_fault(&self) -> Option<Fault> {
        self.fault.clone().map(|fault| self.named(fault))
    }

    fn named(&self, fault: Fault) -> Fault {
        if fault.kind == FaultKind::Connect {
            return fault; // it names the server
        }
        Fault {
            message: format!("its resource {}: {}", self.path, fault.message).into(),
            ..fault
        }
    }
}

/// The resources of one page, fetched by several connections.
pub(super) struct Visit<'a> {
    ask: &'a Ask,
    headers: UserHeaders,
    user: &'a User,
    loads: RefCell<Vec<Load>>,
    cache: RefCell<Cache>,
    queue: RefCell<VecDeque<usize>>,
    again: RefCell<VecDeque<usize>>,
}

impl<'a> Visit<'a> {
    /// Queues the paths that are not fresh in the cache, in this order.
    pub(super) fn new(
        ask: &'a Ask,
        headers: UserHeaders,
        paths: Vec<Box<str>>,
        cache: Cache,
        user: &'a User,
    ) -> Self {
        let now_s = unix_s();
        let load = |path: Box<str>| {
            let is_known = cache.known(&path, now_s) == Known::Fresh;
            Load {
                status: if is_known { 200 } else { 0 },
                is_known,
                path,
                ..Load::default()
            }
        };
        let loads: Vec<Load> = paths.into_iter().map(load).collect();
        let unknown = loads.iter().enumerate().filter(|(_, load)| !load.is_known);
        let queue = unknown.map(|(place, _)| place).collect();
        Self {
            ask,
            headers,
            user,
            loads: RefCell::new(loads),
            cache: RefCell::new(cache),
            queue: RefCell::new(queue),
            again: RefCell::default(),
        }
    }

    /// How many resources wait to be fetched.
    pub(super) fn queued(&self) -> usize {
        self.queue.borrow().len()
    }

    /// Moves the resources to be retried to the front of the queue.
    pub(super) fn ask_again(&self) {
        let mut again = self.again.take();
        again.append(&mut self.queue.borrow_mut());
        self.queue.replace(again);
    }

    /// The results of all resources, in the order of the page, and the updated cache.
    pub(super) fn results(self) -> (Vec<Load>, Cache) {
        (self.loads.into_inner(), self.cache.into_inner())
    }

    /// The request for a path; `None` if it is fresh in the cache.
    fn asked(&self, path: &str) -> Option<Asked> {
        let mut headers = self.headers.clone();
        match self.cache.borrow().known(path, unix_s()) {
            Known::Fresh => return None,
            Known::Version(tag, modified) => {
                for (name, value) in [(IF_NONE_MATCH, tag), (IF_MODIFIED_SINCE, modified)] {
                    if let Ok(value) = HeaderValue::from_str(value)
                        && !value.is_empty()
                    {
                        headers.push((name, value));
                    }
                }
            }
            Known::Nothing => {}
        }
        Some(Asked {
            path: Some(path.into()),
            headers,
            ..Asked::plain(Method::Get)
        })
    }
}

impl HttpSession {
    /// Fetches resources until the queue is empty. Returns early if a connection that others share
    /// has ended.
    pub(super) async fn fetch_all(&mut self, visit: &Visit<'_>) -> Result<(), Fault> {
        loop {
            let Some(place) = visit.queue.borrow_mut().pop_front() else {
                return Ok(());
            };
            let began_ns = visit.user.now_ns();
            let is_used = self.connection.is_some();
            let has_come = Cell::new(false);
            let ended = match &self.connection {
                Some(connection) if connection.has_ended().await => {
                    Err(lost("the server closed the connection"))
                }
                _ => self.fetch(visit, place, &has_come).await,
            };
            let load = &mut visit.loads.borrow_mut()[place];
            load.took_ns = visit.user.now_ns() - began_ns;
            let Err(fault) = ended else {
                continue;
            };
            let is_lost = is_used && !has_come.get() && fault.kind == FaultKind::Disconnected;
            if is_lost && load.retries < RETRIES {
                load.retries += 1;
                visit.again.borrow_mut().push_back(place);
                if !matches!(self.connection.take(), Some(Connection::Http1(_))) {
                    return Ok(());
                }
            } else if fault.ends_session {
                return Err(load.named(fault));
            } else {
                load.fault = Some(fault);
            }
        }
    }

    /// Fetches a resource, through redirects.
    async fn fetch(
        &mut self,
        visit: &Visit<'_>,
        place: usize,
        has_come: &Cell<bool>,
    ) -> Result<(), Fault> {
        let mut path = visit.loads.borrow()[place].path.clone();
        for redirects_left in (0..=REDIRECTS).rev() {
            let Some(asked) = visit.asked(&path) else {
                return Ok(()); // a redirect led to a cached resource
            };
            let mut policy = Policy::default();
            let mut note = |name: &str, value: &[u8]| {
                has_come.set(true);
                policy.note(name, value);
            };
            let exchanged = self.exchange(visit.ask, &asked, Until::End, &mut note);
            let answer = exchanged.await?;
            self.settle(&answer).await?;
            let status = answer.status();
            visit
                .cache
                .borrow_mut()
                .note(&path, status, &policy, unix_s());
            let load = &mut visit.loads.borrow_mut()[place];
            load.status = status;
            load.bytes += answer.reply.received();
            if status >= 400 {
                return Err(status_fault(status));
            }
            if !is_redirect(status) || answer.hints.target.is_empty() {
                return Ok(());
            }
            if redirects_left == 0 {
                let sentence = format!("more than {REDIRECTS} redirects");
                return Err(Fault::step(FaultKind::Refused, sentence));
            }
            let site = self.shared.authority_of(visit.ask, &asked);
            match Origin::new(&self.shared, site, &path, None).place(&answer.hints.target) {
                Place::Here(next) => path = next.into(),
                Place::Elsewhere(host) => {
                    load.elsewhere = Some(host.into());
                    return Ok(());
                }
                Place::Nowhere => return Ok(()),
            }
        }
        Ok(())
    }
}

fn status_fault(status: u16) -> Fault {
    let reason = StatusCode::from_u16(status).ok();
    let reason = reason
        .and_then(|code| code.canonical_reason())
        .unwrap_or("?");
    Fault::step(FaultKind::Refused, format!("status {status} {reason}"))
}
