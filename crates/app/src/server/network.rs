//! The network threads: each runs a current-thread runtime with its share of the connections.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::net::sockopt::set_socket_keepalive;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;

use super::Server;
use super::conversation::{converse, turn_away};

/// More network threads than this do not help: the service threads need processors too.
const MOST_THREADS: usize = 4;
/// Connections that may wait to be accepted: a whole level of users may connect at once.
const BACKLOG: u32 = 4096;
/// How long to wait when the process is out of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// The running network threads.
#[derive(Debug)]
pub(crate) struct Network {
    threads: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

/// One runtime for each network thread.
pub(crate) fn runtimes(processors: usize) -> io::Result<Vec<Runtime>> {
    let build = |_| Builder::new_current_thread().enable_all().build();
    (0..processors.clamp(1, MOST_THREADS)).map(build).collect()
}

/// Binds the address; must be called inside the runtime that will accept.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Network {
    /// Starts a thread for each runtime; the first one also accepts.
    pub(crate) fn start(
        server: &Arc<Server>,
        listener: TcpListener,
        runtimes: Vec<Runtime>,
    ) -> io::Result<Self> {
        let (stop, stopped) = watch::channel(false);
        let handles: Vec<_> = runtimes
            .iter()
            .map(|runtime| runtime.handle().clone())
            .collect();
        let mut network = Self {
            threads: Vec::new(),
            stop,
        };
        let mut accepting = Some(accept(Arc::clone(server), listener, handles));
        for (index, runtime) in runtimes.into_iter().enumerate() {
            let mut stopped = stopped.clone();
            let accepting = accepting.take();
            let run = move || {
                if let Some(accepting) = accepting {
                    runtime.spawn(accepting);
                }
                // An error means that the sender is gone, which also means stop.
                let _ = runtime.block_on(stopped.wait_for(|stop| *stop));
            };
            let thread = std::thread::Builder::new()
                .name(format!("app-net-{index}"))
                .spawn(run);
            match thread {
                Ok(thread) => network.threads.push(thread),
                Err(error) => {
                    network.stop();
                    return Err(error);
                }
            }
        }
        Ok(network)
    }

    /// Closes every connection and joins the threads.
    pub(crate) fn stop(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

async fn accept(server: Arc<Server>, listener: TcpListener, handles: Vec<Handle>) {
    for handle in handles.iter().cycle() {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        };
        // Without these a connection still works, only slower or until its limits end it.
        let _ = stream.set_nodelay(true);
        let _ = set_socket_keepalive(&stream, true);
        let Some(connections) = server.tally.connect(server.limits.connections) else {
            tokio::spawn(turn_away(Arc::clone(&server), stream));
            continue;
        };
        // If the system refuses another thread, the running ones must suffice.
        let _ = server.pool.grow(connections);
        hand_over(&server, stream, handle);
    }
}

/// Has another network thread (or this one) talk with the client.
fn hand_over(server: &Arc<Server>, stream: TcpStream, handle: &Handle) {
    let Ok(stream) = stream.into_std() else {
        server.tally.disconnect();
        return;
    };
    let server = Arc::clone(server);
    handle.spawn(async move {
        match TcpStream::from_std(stream) {
            Ok(stream) => converse(server, stream).await,
            Err(_) => server.tally.disconnect(),
        }
    });
}
