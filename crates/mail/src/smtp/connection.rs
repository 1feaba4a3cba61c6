//! One connection, from connecting to QUIT.

use headcount_load::{Fault, FaultKind, Stopwatch};

use super::credentials::Credentials;
use super::extension::Extensions;
use super::login::log_on;
use super::reply::Reply;
use super::wire::Wire;
use crate::endpoint::{Endpoint, Security};
use crate::stage;
use crate::task::Task;

/// The reply code of the greeting and of a successful STARTTLS.
const READY: u16 = 220;

/// The protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// SMTP: the server accepts a message with one reply (RFC 5321).
    #[default]
    Smtp,
    /// LMTP: the server delivers at once, with a reply for each recipient (RFC 2033).
    Lmtp,
}

/// One connection, on which messages are sent one after the other.
#[derive(Debug)]
pub struct Smtp {
    pub(super) wire: Wire,
    pub(super) language: Language,
    pub(super) offered: Extensions,
    pub(super) stopwatch: Stopwatch,
    /// Whether the server may still have an open transaction.
    pub(super) is_unfinished: bool,
}

impl Smtp {
    /// Connects, begins TLS if the endpoint says so, and logs on if there are credentials. All of
    /// it is timed as one task. `name` is the client's name in EHLO or LHLO.
    pub async fn connect(
        endpoint: &Endpoint,
        language: Language,
        name: &str,
        credentials: Option<Credentials<'_>>,
        stopwatch: Stopwatch,
    ) -> Result<Self, Fault> {
        let began_ns = stopwatch.now_ns();
        let opened = open(endpoint, language, name, credentials).await;
        Task::SmtpConnect.note(&stopwatch, began_ns, &opened);
        let (wire, offered) = opened?;
        Ok(Self {
            wire,
            language,
            offered,
            stopwatch,
            is_unfinished: false,
        })
    }

    /// The extensions that the server offers.
    #[must_use]
    pub const fn offered(&self) -> Extensions {
        self.offered
    }

    /// Says QUIT, waits for the answer and closes the connection.
    pub async fn quit(mut self) {
        stage::enter("QUIT");
        let _ = self
            .wire
            .ask("QUIT", |out| out.extend_from_slice(b"QUIT\r\n"))
            .await; // gone either way
        self.wire.close().await;
    }
}

async fn open(
    endpoint: &Endpoint,
    language: Language,
    name: &str,
    credentials: Option<Credentials<'_>>,
) -> Result<(Wire, Extensions), Fault> {
    let mut wire = Wire::new(endpoint.connect().await?);
    stage::enter("the greeting");
    let greeting = wire.reply().await?;
    if greeting.code != READY {
        return Err(Fault::session(
            FaultKind::Connect,
            format!("the server refused the connection: {greeting}"),
        ));
    }
    let mut offered = hello(&mut wire, language, name).await?;
    if endpoint.security == Security::Starttls {
        if !offered.starttls {
            let sentence = "the server does not offer STARTTLS; set security to none or implicit";
            return Err(Fault::session(FaultKind::Connect, sentence));
        }
        stage::enter("STARTTLS");
        let reply = wire
            .ask("STARTTLS", |out| out.extend_from_slice(b"STARTTLS\r\n"))
            .await?;
        if reply.code != READY {
            return Err(Fault::session(
                FaultKind::Connect,
                format!("STARTTLS: {reply}"),
            ));
        }
        wire = Wire::new(endpoint.secure(wire.into_transport()?).await?);
        // Extensions offered before TLS must be discarded (RFC 3207, 4.2).
        offered = hello(&mut wire, language, name).await?;
    }
    if let Some(credentials) = &credentials {
        stage::enter("the logon");
        log_on(&mut wire, offered, credentials).await?;
    }
    Ok((wire, offered))
}

async fn hello(wire: &mut Wire, language: Language, name: &str) -> Result<Extensions, Fault> {
    let word = match language {
        Language::Smtp => "EHLO",
        Language::Lmtp => "LHLO",
    };
    let reply = greet(wire, word, name).await?;
    if reply.is_positive() {
        return Ok(Extensions::read(&reply));
    }
    if language == Language::Lmtp {
        let sentence = format!("the server does not speak LMTP on this port: LHLO: {reply}");
        return Err(Fault::session(FaultKind::Connect, sentence));
    }
    // Servers older than EHLO (RFC 5321, 3.2).
    let reply = greet(wire, "HELO", name).await?;
    if reply.is_positive() {
        return Ok(Extensions::default());
    }
    Err(Fault::session(FaultKind::Connect, format!("HELO: {reply}")))
}

async fn greet(wire: &mut Wire, word: &'static str, name: &str) -> Result<Reply, Fault> {
    stage::enter(word);
    wire.ask(word, |out| {
        out.extend_from_slice(format!("{word} {name}\r\n").as_bytes());
    })
    .await
}
