//! Servers that ask for what they must not have, or send what nobody needs.

#![allow(clippy::unwrap_used, reason = "whatever fails, fails the test")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use crate::common::{PASSWORD, Player, run};
use headcount_load::{Fault, FaultKind, RollBack, Session};
use headcount_sql::{Method, Password, RequireAuth, Sql, SqlOptions, SslMode};

const OK: u32 = 0;
const CLEARTEXT: u32 = 3;
const MD5: u32 = 5;
/// What sockets hold between a server that floods and a client that has hung up.
const ON_THE_WAY_BYTES: usize = 32 << 20;

/// A server that does what a test wants with its first connection.
struct Liar {
    port: u16,
    served: JoinHandle<Vec<u8>>,
}

/// The liar's side of the connection.
struct Line {
    stream: TcpStream,
    sent_bytes: usize,
    heard: Vec<u8>,
}

impl Line {
    /// Takes the request for TLS, refuses it, and takes the startup message.
    fn refuse_tls(&mut self) {
        let mut request = [0; 8];
        self.stream.read_exact(&mut request).unwrap();
        self.send(b"N");
        self.take_startup();
    }

    fn take_startup(&mut self) {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).unwrap();
        let mut rest = vec![0; u32::from_be_bytes(length) as usize - 4];
        self.stream.read_exact(&mut rest).unwrap();
    }

    /// Sends bytes; returns whether the client still took them.
    fn send(&mut self, bytes: &[u8]) -> bool {
        let is_taken = self.stream.write_all(bytes).is_ok();
        self.sent_bytes += if is_taken { bytes.len() } else { 0 };
        is_taken
    }

    fn let_in(&mut self) {
        self.refuse_tls();
        self.send(&[request(OK), message(b'Z', b"I")].concat());
    }

    /// Records what the client answers, and hangs up.
    fn hear(&mut self) {
        let mut answer = [0; 1024];
        let bytes = self.stream.read(&mut answer).unwrap_or(0);
        self.heard.extend_from_slice(&answer[..bytes]);
        let _ = self.stream.shutdown(Shutdown::Both); // the client may have been faster
    }

    /// Sends `bytes` repeatedly until the client hangs up, or far more than it may take.
    fn flood(&mut self, mut bytes: impl FnMut(usize) -> Vec<u8>) {
        for turn in 0.. {
            if self.sent_bytes > 2 * ON_THE_WAY_BYTES || !self.send(&bytes(turn)) {
                return;
            }
        }
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 4).to_be_bytes();
    [&[tag][..], &length, body].concat()
}

fn request(code: u32) -> Vec<u8> {
    let salt: &[u8] = if code == MD5 { b"salt" } else { b"" };
    message(b'R', &[&code.to_be_bytes()[..], salt].concat())
}

impl Liar {
    /// A server that does this once, and then records what the client says until it hangs up.
    fn that(acts: impl FnOnce(&mut Line) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let patience = Some(Duration::from_secs(20));
            stream.set_read_timeout(patience).unwrap();
            stream.set_write_timeout(patience).unwrap();
            let mut line = Line {
                stream,
                sent_bytes: 0,
                heard: Vec::new(),
            };
            acts(&mut line);
            assert!(line.sent_bytes < ON_THE_WAY_BYTES, "{}", line.sent_bytes);
            let Line { stream, heard, .. } = &mut line;
            let _ = stream.read_to_end(heard); // a reset ends it as well
            line.heard
        });
        Self { port, served }
    }

    fn options(&self, allowed: RequireAuth) -> SqlOptions {
        let address = format!("127.0.0.1:{}", self.port);
        let password = Some(Password::new(PASSWORD));
        let mut options = SqlOptions::new(&address, "shop", "headcount", password);
        options.require_auth = allowed;
        options
    }

    /// The fault of a user who logs on and asks a question, and what the server heard after it
    /// acted.
    fn fault_and_heard(self, options: SqlOptions) -> (Option<Fault>, Vec<u8>) {
        let sql = Sql::new(options).unwrap();
        let fault = run(async {
            let work = async {
                let mut player = Player::open(&sql, 0).await?;
                player
                    .play(r#"{"op": "sql", "statement": "SELECT 1"}"#)
                    .await
            };
            let patience = Duration::from_secs(20);
            tokio::time::timeout(patience, work).await.unwrap().err()
        });
        (fault, self.served.join().unwrap())
    }

    fn fault(self) -> Fault {
        let options = self.options(RequireAuth::default());
        self.fault_and_heard(options).0.unwrap()
    }
}

fn asking(code: u32) -> Liar {
    Liar::that(move |line| {
        line.refuse_tls();
        line.send(&request(code));
        line.hear();
    })
}

#[test]
fn a_password_is_not_sent_in_a_way_that_is_not_allowed() {
    for (code, asked, setting) in [
        (CLEARTEXT, "the password in clear text", "password"),
        (MD5, "an MD5 hash of the password", "md5"),
    ] {
        let liar = asking(code);
        let options = liar.options(RequireAuth::default());
        let (fault, heard) = liar.fault_and_heard(options);
        let fault = fault.unwrap();
        assert_eq!(fault.kind, FaultKind::Login);
        assert_eq!(
            &*fault.message,
            format!(
                "the server asks for {asked}, which require_auth does not allow: nothing was sent; if \
                 the server is yours and the network is safe, allow it: --client \
                 require_auth={setting}"
            )
        );
        assert_eq!(heard, b"");
    }
}

#[test]
fn a_password_is_sent_in_an_allowed_way() {
    let liar = asking(CLEARTEXT);
    let options = liar.options(RequireAuth::of(&[Method::Password]));
    let (_, heard) = liar.fault_and_heard(options);
    assert_eq!(heard, message(b'p', format!("{PASSWORD}\0").as_bytes()));
    let liar = asking(MD5);
    let options = liar.options(RequireAuth::of(&[Method::Md5]));
    let (_, heard) = liar.fault_and_heard(options);
    assert!(heard.starts_with(b"p\0\0\0\x28md5"), "{heard:?}");
}

#[test]
fn a_server_that_asks_for_no_proof_is_refused_if_one_is_required() {
    let liar = Liar::that(Line::let_in);
    let options = liar.options(RequireAuth::of(&[Method::ScramSha256]));
    let (fault, heard) = liar.fault_and_heard(options);
    let fault = fault.unwrap();
    assert!(
        fault.message.contains("without asking who they are"),
        "{fault}"
    );
    assert_eq!(heard, b"");
}

#[test]
fn users_without_a_password_are_advised_to_set_one() {
    let liar = asking(CLEARTEXT);
    let mut options = liar.options(RequireAuth::default());
    options.password = None;
    let (fault, heard) = liar.fault_and_heard(options);
    let fault = fault.unwrap();
    assert!(fault.message.contains("set HEADCOUNT_PASSWORD"), "{fault}");
    assert_eq!(heard, b"");
}

#[test]
fn oversized_messages_are_refused_at_once() {
    const ANNOUNCED: [u8; 5] = [b'D', 0x7f, 0xff, 0xff, 0xff];
    let zeros = |_: usize| vec![0; 1 << 20];
    let fault = Liar::that(move |line| {
        line.refuse_tls();
        line.send(&[b'E', 0x7f, 0xff, 0xff, 0xff]);
        line.flood(zeros);
    })
    .fault();
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert_eq!(
        &*fault.message,
        "the server sent a message ('E') of 2147483647 bytes; at most 65536 are read"
    );
    let fault = Liar::that(move |line| {
        line.let_in();
        line.send(&ANNOUNCED);
        line.flood(zeros);
    })
    .fault();
    assert_eq!(
        (fault.kind, fault.ends_session),
        (FaultKind::Malformed, true)
    );
    assert!(
        fault
            .message
            .ends_with("a message ('D') of 2147483647 bytes; at most 67108864 are read"),
        "{fault}"
    );
}

#[test]
fn floods_of_notices_and_parameters_are_not_kept() {
    let notice = |turn: usize| {
        let text = format!("SNOTICE\0C00000\0M{turn:0>50000}\0\0");
        message(b'N', text.as_bytes())
    };
    let parameter = |turn: usize| message(b'S', format!("name {turn}\0{:50000}\0", "").as_bytes());
    let with_notices = Liar::that(move |line| {
        line.refuse_tls();
        line.send(&request(OK));
        line.flood(notice);
    });
    let with_parameters = Liar::that(move |line| {
        line.refuse_tls();
        line.send(&request(OK));
        line.flood(parameter);
    });
    for liar in [with_notices, with_parameters] {
        let fault = liar.fault();
        assert_eq!(fault.kind, FaultKind::Malformed);
        assert_eq!(
            &*fault.message,
            "the server sent more than 1 MiB before the logon is complete, which is the most that \
             is read"
        );
    }
    let fault = Liar::that(move |line| {
        line.let_in();
        line.flood(notice);
    })
    .fault();
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert!(
        fault
            .message
            .contains("16 MiB of notices between two answers"),
        "{fault}"
    );
}

#[test]
fn a_transaction_that_is_cut_off_at_its_rollback_has_failed() {
    let liar = Liar::that(|line| {
        line.let_in();
        let _ = line.stream.read(&mut [0; 100]); // BEGIN
        line.send(&[message(b'C', b"BEGIN\0"), message(b'Z', b"T")].concat());
        line.hear();
    });
    let sql = Sql::new(liar.options(RequireAuth::default())).unwrap();
    run(async {
        let mut player = Player::open(&sql, 0).await.unwrap();
        player.play(r#"{"op": "begin"}"#).await.unwrap();
        let rolled_back = player.session.roll_back(RollBack::Retry).await;
        assert!(rolled_back.unwrap_err().ends_session);
        assert_eq!(player.task_counts("transaction"), (0, 1));
    });
    let heard = liar.served.join().unwrap();
    assert_eq!(heard, message(b'Q', b"ROLLBACK\0"));
}

#[test]
fn other_protocols_are_recognised_at_once() {
    const WEB: &[u8] = b"HTTP/1.1 400 Bad Request\r\n\r\n";
    // The bytes that a server sends, and whether the client asks for TLS first.
    for (bytes, sslmode) in [
        (WEB, SslMode::Prefer),
        (WEB, SslMode::Disable),
        (&[0; 8][..], SslMode::Disable),
        (&b"Z\0\0\0\x05I"[..], SslMode::Disable), // ready, before letting the user in
    ] {
        // The liar hangs up only after the client: the fault does not come from a closed
        // connection.
        let liar = Liar::that(move |line| {
            line.send(bytes);
        });
        let mut options = liar.options(RequireAuth::default());
        options.sslmode = sslmode;
        let fault = liar.fault_and_heard(options).0.unwrap();
        assert_eq!(fault.kind, FaultKind::Malformed, "{fault}");
        assert_eq!(
            &*fault.message,
            "no logon: the answer is not PostgreSQL's; check the address and the port"
        );
    }
}

#[test]
fn a_server_that_cannot_fork_is_still_recognised() {
    for sslmode in [SslMode::Prefer, SslMode::Disable] {
        let liar = Liar::that(|line| {
            line.send(b"Ecould not fork new process for connection\n\0");
        });
        let mut options = liar.options(RequireAuth::default());
        options.sslmode = sslmode;
        let fault = liar.fault_and_heard(options).0.unwrap();
        assert_eq!(fault.kind, FaultKind::Connect);
        assert!(
            fault.message.contains("no process or memory left"),
            "{fault}"
        );
    }
}
