//! The stand-in in a process of its own, which ends with the process that started it.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;

use headcount_mail::message::{Body, Message, Part, Stamp};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};

use super::house::House;
use super::{imap, smtp};

/// The argument that makes this program a stand-in.
pub const VERB: &str = "stand-in";

/// A running stand-in.
pub struct StandIn {
    pub imap: SocketAddr,
    pub smtp: SocketAddr,
    child: Child,
    /// The stand-in serves until this is closed.
    ends_it: Option<ChildStdin>,
}

impl StandIn {
    /// Starts a stand-in.
    pub fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(VERB)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut address = || lines.next().unwrap().unwrap().parse().unwrap();
        let (imap, smtp) = (address(), address());
        let ends_it = child.stdin.take();
        Self {
            imap,
            smtp,
            child,
            ends_it,
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        drop(self.ends_it.take());
        let _ = self.child.wait(); // only reaps the process
    }
}

/// Serves on one thread until standard input ends.
pub fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let house = Rc::new(RefCell::new(House::new(&old())));
    LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        spawn_local(accept(listener, Rc::clone(&house), imap::serve));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        spawn_local(accept(listener, house, smtp::serve));
        let ended = tokio::task::spawn_blocking(|| io::stdin().read(&mut [0]));
        let _ = ended.await; // an error means that it ended, too
    });
}

async fn accept<F: Future<Output = io::Result<()>> + 'static>(
    listener: TcpListener,
    house: Rc<RefCell<House>>,
    serve: impl Fn(TcpStream, Rc<RefCell<House>>) -> F,
) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        spawn_local(serve(stream, Rc::clone(&house)));
    }
}

/// A message of no run, so that it is read but not checked.
fn old() -> Vec<u8> {
    let stamp = Stamp {
        run: 0,
        sender: 0,
        sequence: 0,
        sent_unix_us: 0,
    };
    let address = "old@stand-in.invalid";
    let message = Message::new(stamp, address, &[address], "Old", &[Part::text(1024)]);
    let mut text = Vec::new();
    while (text.len() as u64) < message.len() {
        message.write_piece(text.len() as u64, &mut text);
    }
    text
}
