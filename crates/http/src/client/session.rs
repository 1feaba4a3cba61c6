//! One user: the connection, the cookies, and the answer that is not yet received.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, Requests, Session, User};
use headcount_script::Embedded;
use http::{HeaderName, HeaderValue};
use percent_encoding::{CONTROLS, percent_encode};

use super::Shared;
use super::ask::{Ask, Method, Target};
use super::bearer::Bearer;
use super::body::Body;
use super::closing::Closing;
use super::digest::SharedChallenge;
use super::jar::Jar;
use super::payload::Insert;
use super::pool::Pool;
use super::socket::Socket;
use super::step::Step;
use crate::connection::http1::Until;
use crate::connection::{Connection, Rest};
use crate::pages::Page;
use crate::pages::content::Owner;
use crate::pages::splitmix::splitmix;
use crate::wire::events::Events;
use crate::wire::reply::Reply;
use headcount_net::Tls;

/// One user.
#[derive(Debug)]
pub struct HttpSession {
    pub(super) shared: Arc<Shared>,
    pub(super) requests: Requests,
    /// The user's number in names.
    pub(super) number: u32,
    pub(super) connection: Option<Connection>,
    /// The previous connection, if the server has not closed it yet.
    pub(super) closing: Option<Closing>,
    /// The user's own configuration, if TLS sessions are resumed.
    pub(super) tls: Option<Box<Tls>>,
    pub(super) jar: Option<Rc<RefCell<Jar>>>,
    /// The scenario to which the cookies belong.
    pub(super) visit: u64,
    pub(super) authorization: Option<Box<str>>,
    /// Whether the user answers challenges.
    pub(super) proves_by_digest: bool,
    pub(super) challenge: Option<SharedChallenge>,
    /// Its access token, if it has one.
    pub(super) bearer: Option<Box<Bearer>>,
    /// An answer whose head has come, but not the rest.
    pub(super) pending: Option<Box<Pending>>,
    pub(super) socket: Option<Box<Socket>>,
    pub(super) stream: Option<Box<EventStream>>,
    /// The state for pages with resources.
    pub(super) pool: Option<Box<Pool>>,
    /// Whether bodies are kept, for a trace or an event stream.
    pub(super) keeps_bodies: bool,
}

/// The most bytes of a header that messages show.
const MOST_HINT_BYTES: usize = 100;

/// A request as it is sent this time.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: Method,
    /// The page it is for, if it is one of the data set.
    pub(super) page: Option<Page>,
    /// The contents to check, if any.
    pub(super) wanted: Option<Owner>,
    /// The path with its prefix, if it depends on the user or comes from a redirect.
    pub(super) path: Option<Box<str>>,
    /// The headers that depend on the user.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// The body, if it depends on the user.
    pub(super) text: Option<String>,
    /// Files within that body.
    pub(super) inserts: Vec<Insert>,
    /// Generated contents, and how many bytes.
    pub(super) made: Option<(Owner, u64)>,
    /// Whether a redirect dropped its body.
    pub(super) lost_body: bool,
    /// The resources that the page names.
    pub(super) embedded: Option<Box<Embedded>>,
}

impl Asked {
    /// A request for something outside the data set, without headers and body.
    pub(super) const fn plain(method: Method) -> Self {
        Self {
            method,
            page: None,
            wanted: None,
            path: None,
            headers: Vec::new(),
            text: None,
            inserts: Vec::new(),
            made: None,
            lost_body: false,
            embedded: None,
        }
    }
}

/// A fault with the name of its request.
fn named(fault: Fault, method: Method, path: &str) -> Fault {
    if fault.kind == FaultKind::Connect {
        return fault; // it names the server
    }
    Fault {
        message: format!("{} {path}: {}", method.name(), fault.message).into(),
        ..fault
    }
}

/// An answer under way.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    /// The stream of the rest, with HTTP/2 and HTTP/3.
    pub(super) body: Option<Rest>,
    /// Where it redirects, and when to retry.
    pub(super) hints: Hints,
}

/// Headers about what to do instead; empty if they did not come.
#[derive(Debug, Default)]
pub(super) struct Hints {
    /// `Location` without its query, which may hold secrets.
    pub(super) location: Box<str>,
    /// The whole `Location`.
    pub(super) target: Box<str>,
    /// `Retry-After`.
    pub(super) retry_after: Box<str>,
}

impl Hints {
    /// Notes a header, if it is one of them.
    pub(super) fn note(&mut self, name: &str, value: &[u8]) {
        // Length first: most headers are neither.
        let kept = match name.len() {
            8 if name.eq_ignore_ascii_case("location") => {
                // Browsers send the bytes of other encodings than UTF-8 as they are.
                self.target = percent_encode(value, CONTROLS).to_string().into();
                &mut self.location
            }
            11 if name.eq_ignore_ascii_case("retry-after") => &mut self.retry_after,
            _ => return,
        };
        let end = value.iter().position(|byte| *byte == b'?');
        let shown = &value[..end.unwrap_or(value.len()).min(MOST_HINT_BYTES)];
        *kept = shown.escape_ascii().to_string().into();
    }
}

impl Answer {
    /// The status; 0 before the head has come.
    pub(super) fn status(&self) -> u16 {
        self.reply.head().map_or(0, |head| head.status)
    }
}

/// An event stream that is open.
#[derive(Debug)]
pub(super) struct EventStream {
    pub(super) ask: Arc<Ask>,
    pub(super) asked: Asked,
    /// A copy of this user, with the connection of the stream.
    pub(super) lane: HttpSession,
    pub(super) answer: Answer,
    pub(super) events: Events,
}

/// An answer of which a later step receives the rest.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) asked: Asked,
    pub(super) answer: Answer,
    /// The path, for messages.
    pub(super) path: Box<str>,
}

impl HttpSession {
    pub(super) fn new(shared: &Arc<Shared>, user: &mut User) -> Self {
        let number = shared.first_user.saturating_add(user.id());
        user.scope().renumber(number);
        let logs_on = user.scope().needs_identity();
        if logs_on {
            user.scope().identify(shared.identity(number));
        }
        let own_tls = shared.tls.as_ref().filter(|_| shared.resumes_tls);
        Self {
            shared: Arc::clone(shared),
            requests: user.requests(),
            number,
            connection: None,
            closing: None,
            tls: own_tls.map(|tls| Box::new(tls.resuming())),
            jar: None,
            visit: user.ordinal(),
            // A user who logs on by a form or a token does not authenticate each request.
            authorization: shared.authorization(number).filter(|_| !logs_on),
            proves_by_digest: shared.uses_digest() && !logs_on,
            challenge: None,
            bearer: None,
            pending: None,
            socket: None,
            stream: None,
            pool: None,
            keeps_bodies: user.keeps_notes(),
        }
    }

    /// Draws what depends on chance and the user, and tells the engine how many bytes will move.
    fn draw(&self, ask: &Ask, user: &mut User) -> Result<Asked, Fault> {
        let deck = &self.shared.deck;
        let is_read = matches!(ask.method, Method::Get | Method::Head);
        let mut asked = self.texts(ask, user.scope())?;
        asked.page = match &ask.target {
            Target::Path(_) if !is_read => None,
            Target::Path(path) => path.text().and_then(|path| deck.set.find(path)),
            Target::Page(which) => {
                let page = deck.draw(which, user.stream());
                if page.is_none() {
                    let sentence = format!("the data set has no pages for page = {which}");
                    return Err(Fault::step(FaultKind::Refused, sentence));
                }
                page
            }
        };
        asked.made = match &ask.body {
            Body::Made(sizes, content) => {
                let bytes = sizes.draw(user.stream());
                let owner = Owner {
                    seed: user.stream().bits(),
                    page: self.number,
                    content: *content,
                };
                Some((owner, bytes))
            }
            _ => None,
        };
        let answered = asked.page.filter(|_| ask.method == Method::Get);
        let answer_bytes = answered.map_or(0, |page| page.bytes);
        let made_bytes = asked.made.map_or(0, |(_, bytes)| bytes);
        user.expect_bytes(answer_bytes + made_bytes + ask.body.file_bytes());
        let is_checked = self.is_checked(user);
        asked.wanted = asked
            .page
            .filter(|_| is_checked)
            .map(|page| deck.set.owner(&page));
        Ok(asked)
    }

    /// Whether contents are checked this time. Draws nothing from the user's stream, so that users
    /// do the same whatever is checked.
    fn is_checked(&self, user: &User) -> bool {
        let key = splitmix(u64::from(user.id()) << 32 ^ user.ordinal());
        let unit = (key >> 11) as f64 / (1u64 << 53) as f64;
        unit < self.shared.verify
    }

    /// Sends a request and reads the head of its answer. Reads all of an answer that is not right,
    /// so that the connection can be used again.
    async fn begin(&mut self, ask: &Ask, asked: &Asked) -> Result<Answer, Fault> {
        let mut answer = self
            .exchange(ask, asked, Until::Head, &mut |_, _| {})
            .await?;
        if !ask.expect.contains(&answer.status()) {
            self.finish(&mut answer).await?;
            self.settle(&answer).await?;
        }
        self.shared.accept(&answer, ask, self.number)?;
        Ok(answer)
    }

    /// Reads the rest of an answer.
    async fn receive(&mut self, pending: &mut Pending) -> Result<Moved, Fault> {
        self.finish(&mut pending.answer).await?;
        let read_bytes = self
            .shared
            .judge(&pending.asked, &mut pending.answer.reply)?;
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }

    /// Plays a step to its end.
    pub(super) async fn play_step(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        match step {
            Step::Whole(ask) => {
                let mut asked = self.draw(ask, user)?;
                let played = self.whole(ask, &mut asked, user).await;
                played.map_err(|fault| {
                    let path = self.shared.shown(ask, &asked);
                    named(fault, asked.method, &path)
                })
            }
            Step::Page(page) => {
                let mut asked = self.draw(&page.page, user)?;
                let played = Box::pin(self.page(page, &mut asked, user)).await; // rare, and larger
                played.map_err(|fault| {
                    let path = self.shared.shown(&page.page, &asked);
                    named(fault, asked.method, &path)
                })
            }
            Step::Request(ask) => {
                let asked = self.draw(ask, user)?;
                let begun = Box::pin(self.begin(ask, &asked)).await; // rare, and larger
                let path = self.shared.shown(ask, &asked);
                let answer = begun.map_err(|fault| named(fault, ask.method, &path))?;
                let written_bytes = ask.payload(&asked).bytes();
                self.pending = Some(Box::new(Pending {
                    asked,
                    answer,
                    path: path.into(),
                }));
                Ok(Moved {
                    read_bytes: 0,
                    written_bytes,
                })
            }
            // Rare, and larger.
            Step::Token(ask) => Box::pin(self.begin_bearing(ask, user)).await,
            Step::Connect => self.connect().await.map(|()| Moved::default()),
            Step::Receive => {
                let Some(mut pending) = self.pending.take() else {
                    let sentence = "there is no answer to receive: a request must come first";
                    return Err(Fault::step(FaultKind::Refused, sentence));
                };
                let received = self.receive(&mut pending).await;
                received.map_err(|fault| named(fault, pending.asked.method, &pending.path))
            }
            Step::OpenSocket(ask) => {
                let opened = Box::pin(self.open_socket(ask, user)).await; // rare, and larger
                opened.map_err(|fault| {
                    let path = self.shared.shown(ask, &Asked::plain(Method::Get));
                    named(fault, ask.method, &path)
                })
            }
            Step::Messages(messages) => self.exchange_messages(messages, user).await,
            Step::CloseSocket => self.close_socket().await,
            Step::OpenStream(ask) => {
                let opened = Box::pin(self.open_stream(ask, user)).await; // rare, and larger
                opened.map_err(|fault| {
                    let path = self.shared.shown(ask, &Asked::plain(Method::Get));
                    named(fault, ask.method, &path)
                })
            }
            Step::News(news) => Box::pin(self.receive_news(news, user)).await,
            Step::CloseStream => {
                self.stream = None;
                Ok(Moved::default())
            }
            Step::Disconnect => self.disconnect().await.map(|()| Moved::default()),
        }
    }
}

impl Session for HttpSession {
    type Step = Step;

    async fn play(&mut self, step: &Step, user: &mut User) -> Result<Moved, Fault> {
        if self.shared.has_new_visitors && self.visit != user.ordinal() {
            self.visit = user.ordinal();
            self.jar = None;
        }
        // Boxed: a request's future is large, and users who think would have room for it.
        match self.bearer {
            None => Box::pin(self.play_step(step, user)).await,
            Some(_) => Box::pin(self.play_bearing(step, user)).await,
        }
    }

    async fn close(self, _user: &mut User) {
        if let Some(Connection::Http3(http3)) = self.connection {
            http3.close().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_fits_into_half_a_kibibyte() {
        assert!(
            size_of::<HttpSession>() < 512,
            "{}",
            size_of::<HttpSession>()
        );
    }
}
