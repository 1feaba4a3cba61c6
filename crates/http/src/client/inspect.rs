//! Which server answers, and whether it has the data set.

use std::cell::Cell;
use std::future::Future;
use std::ops::ControlFlow;
use std::time::Duration;

use headcount_load::context::WorkerContext;
use headcount_load::{Fault, FaultKind, Session, User};
use serde::Serialize;

use super::ask::{Ask, Method};
use super::session::{Asked, HttpSession};
use super::{Http, HttpError, Step};
use crate::connection::Connection;
use crate::connection::http1::Until;
use crate::options::HttpOptions;
use crate::pages::{Page, PageSet, Which};

/// How long one answer may take. Outside a run there is no limit by the engine.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a page is requested while the server says that it is busy.
const BUSY_TRIES: u32 = 5;

/// How long to wait before each further attempt.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// What a server reveals about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// The value of its `Server` header, or empty.
    pub server: String,
    /// `HTTP/1.1`, `HTTP/2` or `HTTP/3`.
    pub version: &'static str,
    /// The version of TLS and the cipher suite; empty without TLS.
    pub tls: String,
    /// The status of its answer to a request for the root.
    pub status: u16,
    /// Whether it keeps the connection.
    pub keeps_alive: bool,
}

/// How much of a data set was checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Pages that were requested, and right.
    pub pages: u32,
    /// Their bytes.
    pub bytes: u64,
}

/// Requests the root, and describes the server that answered, whatever the answer.
pub fn hello(options: HttpOptions) -> Result<Hello, HttpError> {
    let http = Http::new(options)?;
    run(async {
        let (mut session, _) = visitor(&http);
        let ask = Ask::get("/", &[200]);
        let mut server = String::new();
        let has_begun = Cell::new(false);
        let mut note = |name: &str, value: &[u8]| {
            has_begun.set(true);
            if name.eq_ignore_ascii_case("server") {
                server = String::from_utf8_lossy(value).into_owned();
            }
        };
        let asked = Asked::plain(Method::Get);
        let whole = session.exchange(&ask, &asked, Until::End, &mut note);
        let answer = bounded(whole, || has_begun.get()).await?;
        let (status, keeps_alive) = answer
            .reply
            .head()
            .map_or((0, false), |head| (head.status, head.keeps_alive));
        let agreed = session.connection.as_ref().and_then(Connection::agreed);
        Ok(Hello {
            server,
            version: http.shared.version.name(),
            tls: agreed.map_or_else(String::new, |agreed| agreed.to_string()),
            status,
            keeps_alive,
        })
    })
}

/// Which pages are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One of each class from the first and one from the last directory.
    Sample,
    /// All of them.
    All,
}

/// The callback that gets the progress, and may cancel the check.
pub type OnProgress<'a> = dyn FnMut(Looked) -> ControlFlow<()> + 'a;

/// How far a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Looked {
    /// Pages checked so far.
    pub pages_done: u64,
    /// Pages to check.
    pub pages: u64,
}

/// Requests the pages that steps draw by `which`, and checks their contents. Stops at the first
/// that is wrong.
pub fn check(
    options: HttpOptions,
    which: &[Which],
    extent: Extent,
    on_progress: &mut OnProgress<'_>,
) -> Result<Checked, HttpError> {
    let http = Http::new(HttpOptions {
        verify: 1.0,
        ..options
    })?;
    let set = &http.shared.deck.set;
    let pages = pages(set, which, extent);
    run(async {
        let (mut session, mut user) = visitor(&http);
        let mut checked = Checked::default();
        for (page, done) in pages.iter().zip(0u64..) {
            let looked = Looked {
                pages_done: done,
                pages: pages.len() as u64,
            };
            if on_progress(looked).is_break() {
                return Err(HttpError::Cancelled);
            }
            let step = Step::Whole(Ask::get(&set.path(page), &[200]));
            let mut tries = 1..BUSY_TRIES;
            while let Err(error) = bounded(session.play(&step, &mut user), || false).await {
                if !is_busy(&error) || tries.next().is_none() {
                    return Err(error);
                }
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            checked.pages += 1;
            checked.bytes += page.bytes;
        }
        Ok(checked)
    })
}

/// The pages to check, each once, directory by directory.
fn pages(set: &PageSet, which: &[Which], extent: Extent) -> Vec<Page> {
    let last = set.directories.count() as u32 - 1;
    let asked_for = |class: &usize| {
        let meant = &set.classes[*class];
        meant.percent > 0.0 && which.iter().any(|which| which.holds(meant))
    };
    let classes: Vec<_> = (0..set.classes.len()).filter(asked_for).collect();
    let places = |class: usize| match extent {
        Extent::Sample => vec![(0, 0), (last, set.classes[class].files() - 1)],
        Extent::All => {
            let last = if set.classes[class].cgi { 0 } else { last };
            let files = 0..set.classes[class].files();
            (0..=last)
                .flat_map(|directory| files.clone().map(move |file| (directory, file)))
                .collect()
        }
    };
    let mut pages: Vec<_> = classes
        .into_iter()
        .flat_map(|class| {
            places(class)
                .into_iter()
                .map(move |(directory, file)| set.page(class, directory, file))
        })
        .collect();
    pages.sort_by_key(|page| page.number);
    pages.dedup();
    pages
}

/// Whether a request was rejected by a server that limits the rate of one address.
fn is_busy(error: &HttpError) -> bool {
    let HttpError::Fault(fault) = error else {
        return false;
    };
    [429, 503]
        .iter()
        .any(|status| fault.message.contains(&format!("status {status} ")))
}

fn visitor(http: &Http) -> (HttpSession, User) {
    let mut user = User::outside(0, 0, WorkerContext::outside(0, 0));
    (HttpSession::new(&http.shared, &mut user), user)
}

/// Fails if the answer takes too long; `has_begun` says whether a part of it has come.
async fn bounded<T>(
    future: impl Future<Output = Result<T, Fault>>,
    has_begun: impl FnOnce() -> bool,
) -> Result<T, HttpError> {
    let ended = tokio::time::timeout(PATIENCE, future).await;
    let silent = |_| {
        let seconds = PATIENCE.as_secs();
        let sentence = if has_begun() {
            format!("the answer began but did not end within {seconds} s")
        } else {
            format!("no answer within {seconds} s")
        };
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
