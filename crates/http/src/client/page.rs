//! The resources of a page, fetched as browsers do: several at a time.

use std::collections::{BTreeMap, HashSet};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use headcount_load::{Fault, Moved, User};
use headcount_script::{Embedded, Reply, Scope};
use http::header::REFERER;
use http::{HeaderName, HeaderValue};
use serde_json::json;

use super::ask::Ask;
use super::digest::SharedChallenge;
use super::load::{Load, Visit};
use super::place::{Origin, Place};
use super::pool::Idle;
use super::received::Received;
use super::resources::{PageAsk, is_for_all};
use super::session::{Asked, HttpSession};
use super::version::Version;
use crate::connection::{Connection, lost};

/// The most concurrent requests on a connection of HTTP/2 or HTTP/3; servers commonly allow 128.
const MOST_STREAMS: usize = 100;

/// The resources that a page names. The error is a sentence.
pub(super) fn embedded(page: &Received<'_>) -> Result<Embedded, String> {
    let kind = page.headers("content-type").pop().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let html = ["", "text/html", "application/xhtml+xml"];
    if !html.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
        return Err(format!(
            "a reply of type {} names no resources: leave out resources = \"embedded\", or list their \
             paths",
            headcount_load::fault::words(kind)
        ));
    }
    Embedded::of(page.body())
}

/// The resources to fetch for a page.
#[derive(Debug, Default)]
struct Wanted {
    paths: Vec<Box<str>>,
    /// How many are on other servers, by server.
    left_out: BTreeMap<Box<str>, u32>,
}

impl HttpSession {
    /// Requests a page and its resources.
    pub(super) async fn page(
        &mut self,
        page: &PageAsk,
        asked: &mut Asked,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let mut moved = self.whole(&page.page, asked, user).await?;
        moved.read_bytes += self.load_resources(page, asked, user).await?;
        Ok(moved)
    }

    /// Fetches the resources of a page that has come; returns how many bytes came. If the server
    /// refuses one the step fails, once all have been fetched.
    async fn load_resources(
        &mut self,
        page: &PageAsk,
        asked: &Asked,
        user: &mut User,
    ) -> Result<u64, Fault> {
        let mut wanted = self.wanted(page, asked, user.scope())?;
        let mut pool = self.pool.take().unwrap_or_default();
        let keeps = page.keeps_cache && !self.shared.has_new_visitors;
        pool.cache.begin(user.ordinal(), keeps);
        let headers = self.resource_headers(&page.page, asked);
        let cache = std::mem::take(&mut pool.cache);
        let visit = Visit::new(&page.ask, headers, wanted.paths, cache, user);
        let visited = self.visit(&visit, page.connections, &mut pool.idle).await;
        let (loads, cache) = visit.results();
        pool.cache = cache;
        self.pool = Some(pool);
        for load in &loads {
            user.note(|| load.note());
            if let Some(host) = &load.elsewhere {
                *wanted.left_out.entry(host.clone()).or_default() += 1;
            }
        }
        if !wanted.left_out.is_empty() {
            user.note(|| json!({"left_out": wanted.left_out}));
        }
        visited?;
        received_bytes(&loads)
    }

    /// The resources of a page on this server, each once, and the number on others.
    fn wanted(&self, page: &PageAsk, asked: &Asked, scope: &mut Scope) -> Result<Wanted, Fault> {
        let mut wanted = Wanted::default();
        let mut known = HashSet::new();
        if let Some(embedded) = &asked.embedded {
            let path = self.shared.path(&page.page, asked);
            let site = self.shared.authority_of(&page.page, asked);
            let origin = Origin::new(&self.shared, site, &path, embedded.base.as_deref());
            for link in &embedded.links {
                match origin.place(link) {
                    Place::Here(path) if known.insert(path.clone()) => {
                        wanted.paths.push(path.into());
                    }
                    Place::Elsewhere(host) if known.insert(link.clone()) => {
                        *wanted.left_out.entry(host.into()).or_default() += 1;
                    }
                    _ => {}
                }
            }
        }
        for listed in &page.listed {
            let asked = self.texts(listed, scope)?;
            let path = self.shared.path(listed, &asked);
            if known.insert(path.clone()) {
                wanted.paths.push(path.into());
            }
        }
        Ok(wanted)
    }

    /// The headers for a page's resources that depend on the user.
    fn resource_headers(&self, ask: &Ask, page: &Asked) -> Vec<(HeaderName, HeaderValue)> {
        let own = page.headers.iter().filter(|(name, _)| is_for_all(name));
        let mut headers: Vec<_> = own.cloned().collect();
        let shared = &self.shared;
        let (scheme, path) = (&shared.scheme, shared.path(ask, page));
        let site = shared.authority_of(ask, page);
        let site = site.as_ref().unwrap_or(&shared.authority);
        let address = HeaderValue::from_str(&format!("{scheme}://{site}{path}"));
        headers.extend(address.ok().map(|address| (REFERER, address)));
        headers
    }

    /// Fetches all resources. Retries those that were lost with a connection.
    async fn visit(
        &mut self,
        visit: &Visit<'_>,
        connections: usize,
        idle: &mut Vec<Idle>,
    ) -> Result<(), Fault> {
        while visit.queued() > 0 {
            let mut lanes = self.lanes(visit.queued(), connections, idle).await?;
            let fetched = together(lanes.iter_mut().map(|lane| lane.fetch_all(visit))).await;
            let shared = self.challenge.take();
            for (place, lane) in lanes.into_iter().enumerate() {
                let own = lane.own_challenge(shared.as_ref());
                if place == 0 {
                    self.challenge = lane.challenge;
                }
                match lane.connection {
                    Some(Connection::Http1(http1)) if !http1.is_spent => {
                        let connection = Connection::Http1(http1);
                        if place == 0 {
                            self.connection = Some(connection);
                        } else {
                            idle.push(Idle {
                                connection,
                                challenge: own,
                            });
                        }
                    }
                    _ => {}
                }
            }
            fetched?;
            visit.ask_again();
        }
        Ok(())
    }

    /// Copies of this user, each with a connection of its own, or all with the same one of HTTP/2
    /// or HTTP/3.
    async fn lanes(
        &mut self,
        queued: usize,
        connections: usize,
        idle: &mut Vec<Idle>,
    ) -> Result<Vec<Self>, Fault> {
        if self.shared.keeps_cookies {
            self.jar.get_or_insert_default();
        }
        if self.shared.version != Version::Http1 {
            self.connect().await?;
            let lanes = 0..queued.min(MOST_STREAMS);
            let shared = |_| Some(self.lane(Some(self.connection.as_ref()?.shared()?)));
            let lanes: Option<Vec<_>> = lanes.map(shared).collect();
            return lanes.ok_or_else(|| lost("there is no connection"));
        }
        let first = self.connection.take();
        let first = self.lane(first);
        let others = 1..queued.min(connections);
        let others = others.map(|_| match idle.pop() {
            None => self.lane(None),
            Some(kept) => {
                let lane = self.lane(Some(kept.connection));
                let challenge = kept.challenge.or_else(|| lane.challenge.clone());
                Self { challenge, ..lane }
            }
        });
        Ok(std::iter::once(first).chain(others).collect())
    }

    /// The challenge that it answers, unless it is the one that it shares with others.
    fn own_challenge(&self, shared: Option<&SharedChallenge>) -> Option<SharedChallenge> {
        let is_shared = |own: &&SharedChallenge| shared.is_some_and(|it| Rc::ptr_eq(it, own));
        self.challenge
            .as_ref()
            .filter(|own| !is_shared(own))
            .cloned()
    }

    /// A copy of this user with another connection, or none.
    pub(super) fn lane(&self, connection: Option<Connection>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            requests: self.requests.clone(),
            number: self.number,
            connection,
            closing: None,
            tls: self.tls.clone(),
            jar: self.jar.clone(),
            visit: self.visit,
            authorization: self.authorization.clone(),
            proves_by_digest: self.proves_by_digest,
            challenge: self.challenge.clone(),
            bearer: None,
            pending: None,
            socket: None,
            stream: None,
            pool: None,
            keeps_bodies: false,
        }
    }
}

/// How many bytes came. The error is that of the first resource that the server refused.
fn received_bytes(loads: &[Load]) -> Result<u64, Fault> {
    let mut wrong = loads.iter().filter_map(Load::named_fault);
    let Some(first) = wrong.next() else {
        return Ok(loads.iter().map(|load| load.bytes).sum());
    };
    let others = match wrong.count() {
        0 => return Err(first),
        1 => "; and another one".to_owned(),
        more => format!("; and {more} others"),
    };
    Err(Fault {
        message: format!("{}{others}", first.message).into(),
        ..first
    })
}

/// Polls all futures until the last has completed, or one has failed. A wake-up polls all: what
/// arrives on a connection of HTTP/2 may be for another than the one that was woken.
async fn together<F: Future<Output = Result<(), Fault>>>(
    all: impl Iterator<Item = F>,
) -> Result<(), Fault> {
    let mut under_way: Vec<Pin<Box<F>>> = all.map(Box::pin).collect();
    poll_fn(|context| {
        let mut place = 0;
        while place < under_way.len() {
            match under_way[place].as_mut().poll(context) {
                Poll::Pending => place += 1,
                Poll::Ready(Ok(())) => drop(under_way.remove(place)),
                Poll::Ready(Err(fault)) => return Poll::Ready(Err(fault)),
            }
        }
        if under_way.is_empty() {
            Poll::Ready(Ok(()))
        } else {
            Poll::Pending
        }
    })
    .await
}
