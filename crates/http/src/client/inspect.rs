//! Who answers, and whether they have the data set.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use headcount_load::clock::VirtualClock;
use headcount_load::seat::Seat;
use headcount_load::timers::Timers;
use headcount_load::{Fault, FaultKind, Session, User};
use serde::Serialize;

use super::ask::{Ask, Method};
use super::session::{Asked, HttpSession};
use super::{Http, HttpError, Step};
use crate::connection::Connection;
use crate::connection::http1::Until;
use crate::options::HttpOptions;
use crate::pages::{Page, PageSet};
use crate::pattern::Pattern;

/// How long one answer may take. Outside of a run the engine's limit does not watch.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// What it calls itself (the header `Server`), or nothing.
    pub server: String,
    /// `HTTP/1.1` or `HTTP/2`.
    pub version: &'static str,
    /// The version of TLS and the cipher suite, or nothing without TLS.
    pub tls: String,
    /// The status with which it answers a request for the root.
    pub status: u16,
    /// Whether it keeps the connection.
    pub keeps_alive: bool,
}

/// What was found of a data set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Pages that were asked for, and right.
    pub pages: u32,
    /// Their bytes.
    pub bytes: u64,
}

/// Asks for the root, whatever the answer, and says who answered.
pub fn hello(options: HttpOptions) -> Result<Hello, HttpError> {
    let http = Http::new(options)?;
    run(async {
        let (mut session, _) = visitor(&http);
        let ask = Ask::get(Pattern::plain("/"), &[200]);
        let mut server = String::new();
        let mut note = |name: &str, value: &[u8]| {
            if name.eq_ignore_ascii_case("server") {
                server = String::from_utf8_lossy(value).into_owned();
            }
        };
        let asked = Asked::plain(Method::Get);
        let answer = bounded(session.exchange(&ask, &asked, Until::End, &mut note)).await?;
        let (status, keeps_alive) = answer
            .reply
            .head()
            .map_or((0, false), |head| (head.status, head.keeps_alive));
        let agreed = session.connection.as_ref().and_then(Connection::agreed);
        Ok(Hello {
            server,
            version: if http.shared.is_http2 {
                "HTTP/2"
            } else {
                "HTTP/1.1"
            },
            tls: agreed.map_or_else(String::new, |agreed| agreed.to_string()),
            status,
            keeps_alive,
        })
    })
}

/// Asks for a page of each class, from the first and the last directory, and checks them whole.
pub fn check(options: HttpOptions) -> Result<Checked, HttpError> {
    let http = Http::new(HttpOptions {
        verify: 1.0,
        ..options
    })?;
    run(async {
        let (mut session, mut user) = visitor(&http);
        let mut checked = Checked::default();
        for page in sample(&http.shared.deck.set) {
            let path = Pattern::plain(&http.shared.deck.set.path(&page));
            let step = Step::Whole(Ask::get(path, &[200]));
            bounded(session.play(&step, &mut user)).await?;
            checked.pages += 1;
            checked.bytes += page.bytes;
        }
        Ok(checked)
    })
}

/// A page of each class that is asked for, from the first and the last directory.
fn sample(set: &PageSet) -> impl Iterator<Item = Page> + '_ {
    let last = set.directories.count() as u32 - 1;
    let asked_for = (0..set.classes.len()).filter(|class| set.classes[*class].percent > 0.0);
    asked_for.flat_map(move |class| {
        let files = set.classes[class].files();
        [set.page(class, 0, 0), set.page(class, last, files - 1)]
    })
}

fn visitor(http: &Http) -> (HttpSession, User) {
    let timers = Timers::new(Rc::new(VirtualClock::default()));
    let user = User::new(0, 0, Rc::new(Seat::new()), Rc::new(timers));
    (HttpSession::new(&http.shared, &user), user)
}

async fn bounded<T>(future: impl Future<Output = Result<T, Fault>>) -> Result<T, HttpError> {
    let ended = tokio::time::timeout(PATIENCE, future).await;
    let silent = |_| {
        let sentence = format!("no answer within {} s", PATIENCE.as_secs());
        Fault::session(FaultKind::Timeout, sentence)
    };
    ended
        .map_err(silent)
        .and_then(|ended| ended)
        .map_err(HttpError::Fault)
}

fn run<T>(future: impl Future<Output = Result<T, HttpError>>) -> Result<T, HttpError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(future)
}
