//! A small SMTP server that delivers each message over LMTP before it accepts it, or counts and
//! drops it. It needs no root and keeps nothing on disk.
//!
//! * [`error`]: why it does not start. [`count`]: what it has done.
//! * `route`: where mail goes. `conversation`, `inbound`: a client. `upstream`: an LMTP server.

mod conversation;
pub mod count;
pub mod error;
pub mod inbound;
mod route;
mod upstream;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use headcount_load::Password;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use count::{Counts, Delivered};
pub use error::FrontError;

use conversation::{Envelope, converse};
use count::Tally;
use route::Routes;
use upstream::{Upstream, deliver_later};

/// The listen backlog: a whole level of users may connect at once.
const BACKLOG: u32 = 4096;

/// How long to wait after `accept` failed, usually because the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// How long an LMTP server may take to answer when the front starts.
const CHECK_PATIENCE: Duration = Duration::from_secs(10);

/// How long the delivery of held mail may take when the front stops.
const END_PATIENCE: Duration = Duration::from_secs(10);

/// The settings of a front.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen; port 0 takes any free port.
    pub listen: SocketAddr,
    /// Where mail without a route goes: an LMTP server (`HOST:PORT`), or `count`.
    pub lmtp: String,
    /// Where mail of a domain goes: `DOMAIN=HOST:PORT`, or `DOMAIN=count`.
    pub routes: Vec<String>,
    /// Recipients that are refused: addresses, in which `*` stands for anything.
    pub reject: Vec<String>,
    /// How long accepted mail is held before it is delivered.
    pub delay: Duration,
    /// The password that clients must log on with, under any name.
    pub password: Option<Password>,
}

/// What all connections share.
struct Front {
    routes: Routes,
    reject: Vec<String>,
    delay: Duration,
    password: Option<Password>,
    tally: Tally,
    stopped: watch::Receiver<bool>,
    later: tokio::sync::mpsc::UnboundedSender<(Envelope, Vec<u8>)>,
}

/// A running front. Dropping it stops it.
pub struct Handle {
    address: SocketAddr,
    front: Arc<Front>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a front. When it returns, clients can connect.
pub fn serve(settings: Settings) -> Result<Handle, FrontError> {
    if settings.password.is_none() && !settings.listen.ip().is_loopback() {
        return Err(FrontError::PasswordRequired(settings.listen));
    }
    let routes = Routes::new(&settings.lmtp, &settings.routes)?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(FrontError::Thread)?;
    runtime.block_on(check(&routes))?;
    let failed = |reason| FrontError::Listen {
        address: settings.listen,
        reason,
    };
    let listener = {
        let _inside = runtime.enter();
        listen(settings.listen).map_err(failed)?
    };
    let address = listener.local_addr().map_err(failed)?;
    let (stop, stopped) = watch::channel(false);
    let (later, held) = tokio::sync::mpsc::unbounded_channel();
    let front = Arc::new(Front {
        routes,
        reject: settings.reject,
        delay: settings.delay,
        password: settings.password,
        tally: Tally::default(),
        stopped,
        later,
    });
    let thread = std::thread::Builder::new().name("front".into());
    let shared = Arc::clone(&front);
    let run = move || run(&runtime, listener, &shared, held);
    let thread = Some(thread.spawn(run).map_err(FrontError::Thread)?);
    Ok(Handle {
        address,
        front,
        stop,
        thread,
    })
}

type Held = tokio::sync::mpsc::UnboundedReceiver<(Envelope, Vec<u8>)>;

fn run(runtime: &Runtime, listener: TcpListener, front: &Arc<Front>, mut held: Held) {
    runtime.block_on(async {
        let mut stopped = front.stopped.clone();
        let mut under_way = JoinSet::new();
        tokio::spawn(accept(Arc::clone(front), listener));
        loop {
            tokio::select! {
                // An error means that the handle was dropped: stop, too.
                _ = stopped.wait_for(|stop| *stop) => break,
                Some((envelope, message)) = held.recv() => {
                    under_way.spawn(deliver_held(Arc::clone(front), envelope, message));
                }
                Some(_) = under_way.join_next() => {}
            }
        }
        while let Ok((envelope, message)) = held.try_recv() {
            under_way.spawn(deliver_held(Arc::clone(front), envelope, message));
        }
        let delivered = async { while under_way.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(END_PATIENCE, delivered).await; // the rest stays held
    });
}

/// Fails if an LMTP server does not answer.
async fn check(routes: &Routes) -> Result<(), FrontError> {
    for destination in &routes.destinations {
        let Some(endpoint) = &destination.lmtp else {
            continue;
        };
        let checked = tokio::time::timeout(CHECK_PATIENCE, Upstream::check(endpoint)).await;
        let reason = match checked {
            Ok(Ok(())) => continue,
            Ok(Err(fault)) => fault.message.into_string(),
            Err(_) => format!("no answer within {} s", CHECK_PATIENCE.as_secs()),
        };
        let address = destination.name.clone();
        return Err(FrontError::Lmtp { address, reason });
    }
    Ok(())
}

/// Binds the address; must be called inside the runtime that will accept.
fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn accept(front: Arc<Front>, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                front.tally.note(|counts| counts.connections += 1);
                tokio::spawn(converse(Arc::clone(&front), stream));
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Delivers a held message after the delay, or when the front stops.
async fn deliver_held(front: Arc<Front>, envelope: Envelope, message: Vec<u8>) {
    let mut stopped = front.stopped.clone();
    let _ = tokio::time::timeout(front.delay, stopped.wait_for(|stop| *stop)).await; // either way
    for (number, destination) in front.routes.destinations.iter().enumerate() {
        let here = envelope.to.iter().filter(|(_, to)| *to == number);
        let here: Vec<String> = here.map(|(to, _)| to.clone()).collect();
        if here.is_empty() {
            continue;
        }
        let got = deliver_later(destination, &envelope.from, &here, &message).await;
        front
            .tally
            .note(|counts| counts.lost += (here.len() - got) as u64);
        front
            .tally
            .delivered(&destination.name, got as u64, message.len() as u64);
    }
    front.tally.note(|counts| counts.held -= 1);
}

impl Front {
    /// Holds a message until it is to be delivered.
    fn hold(front: &Arc<Self>, envelope: Envelope, message: Vec<u8>) {
        front.tally.note(|counts| counts.held += 1);
        let _ = front.later.send((envelope, message)); // the receiver outlives all clients
    }
}

impl Handle {
    /// The address it listens on, with the real port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.front.tally.counts()
    }

    /// Delivers held mail, closes all connections and joins the thread. Returns the final counts;
    /// mail that could not be delivered in time still counts as held.
    #[must_use]
    pub fn stop(mut self) -> Counts {
        self.end();
        self.counts()
    }

    fn end(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
