//! Connects, begins TLS and logs on.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use headcount_load::{Fault, FaultKind, Password, Stopwatch};

use super::capability::Capability;
use super::connection::{Imap, once, without_contents};
use super::line::Line;
use super::session::{Heard, Until, not_let_in};
use super::wire::answer::Answer;
use crate::endpoint::{Endpoint, Security};
use crate::secret::{plain, without};
use crate::stage;
use crate::task::Task;

/// How users log on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authentication {
    /// AUTHENTICATE PLAIN (RFC 4616), in one line if the server allows it (RFC 4959).
    #[default]
    Plain,
    /// AUTHENTICATE LOGIN, which is in no standard but used by many clients.
    Login,
    /// The command LOGIN (RFC 9051, 6.2.3).
    Command,
}

impl Imap {
    /// Connects, sends STARTTLS if the endpoint says so, and learns the server's capabilities, with
    /// CAPABILITY only if the greeting does not have them.
    ///
    /// Faults: `connect` if there is no connection or no TLS; `disconnected` if the server refuses
    /// the connection; `malformed` if it is not an IMAP server.
    pub async fn connect(endpoint: &Endpoint, stopwatch: Stopwatch) -> Result<Self, Fault> {
        // Boxed: the large future would otherwise be part of every user's.
        let transport = Box::pin(endpoint.connect()).await?;
        stage::enter("the greeting");
        let mut imap = Self::on(transport, stopwatch);
        imap.receive(Task::Login, Until::Greeted, &mut without_contents)
            .await?;
        if endpoint.security == Security::Starttls {
            imap = Box::pin(imap.start_tls(endpoint)).await?;
        }
        imap.know_capabilities().await?;
        Ok(imap)
    }

    async fn start_tls(mut self, endpoint: &Endpoint) -> Result<Self, Fault> {
        stage::enter("STARTTLS");
        let begun = self
            .simple(Task::StartTls, &mut |line| {
                line.raw("STARTTLS");
            })
            .await;
        begun.map_err(|fault| match fault.kind {
            FaultKind::Refused => Fault::session(FaultKind::Connect, fault.message),
            _ => fault,
        })?;
        self.secure(endpoint).await
    }

    /// Asks for the server's capabilities, unless they are known.
    async fn know_capabilities(&mut self) -> Result<(), Fault> {
        if self.state.knows_capabilities {
            return Ok(());
        }
        self.capability().await
    }

    /// Asks for the server's capabilities.
    pub async fn capability(&mut self) -> Result<(), Fault> {
        stage::enter("CAPABILITY");
        self.simple(Task::Capability, &mut |line| {
            line.raw("CAPABILITY");
        })
        .await
    }

    /// Logs on. Fault: `login`, which ends the session, if the server refuses.
    pub async fn login(
        &mut self,
        user: &str,
        password: &Password,
        how: Authentication,
    ) -> Result<(), Fault> {
        if self.state.is_preauthenticated {
            return Ok(());
        }
        stage::enter("the logon");
        self.state.knows_capabilities = false;
        let loggedon = match how {
            Authentication::Plain => self.authenticate_plain(user, password).await,
            Authentication::Login => self.authenticate_login(user, password).await,
            Authentication::Command => self.login_command(user, password).await,
        };
        loggedon.map_err(|fault| without(not_let_in(fault), "LOGIN", user, password))?;
        self.know_capabilities().await
    }

    async fn authenticate_plain(&mut self, user: &str, password: &Password) -> Result<(), Fault> {
        let answer = plain(user, password);
        let at_once = self.offers(Capability::SaslIr);
        self.simple(Task::Login, &mut |line| {
            line.raw("AUTHENTICATE PLAIN");
            if at_once {
                line.raw(" ");
            } else {
                line.raw("\r\n").wait();
            }
            line.raw(&answer);
        })
        .await
    }

    async fn authenticate_login(&mut self, user: &str, password: &Password) -> Result<(), Fault> {
        let (user, password) = (STANDARD.encode(user), STANDARD.encode(password.reveal()));
        self.simple(Task::Login, &mut |line| {
            line.raw("AUTHENTICATE LOGIN\r\n").wait();
            line.raw(&user).raw("\r\n").wait().raw(&password);
        })
        .await
    }

    async fn login_command(&mut self, user: &str, password: &Password) -> Result<(), Fault> {
        if self.offers(Capability::LoginDisabled) {
            return Err(Fault::session(
                FaultKind::Login,
                "the server forbids LOGIN on this connection: use TLS, or another way of logging on",
            ));
        }
        self.simple(Task::Login, &mut |line| {
            line.raw("LOGIN ")
                .string(user)
                .raw(" ")
                .string(password.reveal());
        })
        .await
    }

    /// Enables IMAP4rev2 if it is offered (RFC 9051, 6.3.1). Names of mailboxes are UTF-8 then.
    pub async fn enable_rev2(&mut self) -> Result<(), Fault> {
        if !self.offers(Capability::Rev2) {
            return Ok(());
        }
        let mut is_enabled = false;
        let mut compose = |line: &mut Line<'_>| {
            line.raw("ENABLE IMAP4rev2");
        };
        let mut fill = once(&mut compose);
        self.command(Task::Enable, &mut fill, &mut |heard| {
            if let Heard::Answer(Answer::Enabled(names), _) = heard {
                let mut names = names.split(|byte| *byte == b' ');
                is_enabled |= names.any(|name| name.eq_ignore_ascii_case(b"IMAP4rev2"));
            }
            Ok(())
        })
        .await?;
        self.state.is_rev2 = is_enabled;
        Ok(())
    }

    /// Logs out and closes the connection.
    pub async fn logout(mut self) -> Result<(), Fault> {
        self.simple(Task::Logout, &mut |line| {
            line.raw("LOGOUT");
        })
        .await
    }
}
