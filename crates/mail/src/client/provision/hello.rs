//! Who answers.

use std::time::Duration;

use headcount_load::provision::run;
use headcount_load::{Fault, FaultKind};
use serde::Serialize;
use tokio::io::AsyncReadExt;

use super::errand::{arrive, bounded};
use super::error::ProvisionError;
use crate::client::Mail;
use crate::endpoint::Endpoint;
use crate::imap::Capability;
use crate::options::MailOptions;

/// Bytes of a greeting that are shown.
const GREETING_BYTES: usize = 300;
/// How long a greeting may take: servers that keep spammers waiting take seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// What the IMAP server greets with.
    pub imap_greeting: String,
    /// What it offers of what Headcount makes use of.
    pub imap_offers: Vec<&'static str>,
    /// What the server greets with that mail is sent with, if there is one.
    pub send_greeting: Option<String>,
    /// Messages in the first user's inbox.
    pub inbox: u32,
}

/// Logs on as the first user of the target, and connects to where mail is sent.
pub fn hello(options: MailOptions) -> Result<Hello, ProvisionError> {
    let mail = Mail::new(options)?;
    run(async {
        let shared = &mail.shared;
        let address = &shared.options.imap.address;
        let imap_greeting = greeting(&shared.imap, address).await?;
        let send_greeting = match &shared.sending {
            None => None,
            Some((endpoint, sending)) => {
                let found = greeting(endpoint, &sending.server.address).await?;
                let mut session = arrive(&mail, 0).await?;
                let what = || format!("no answer from {} in time", sending.server.address);
                bounded(session.try_sending(), what).await?;
                session.depart().await;
                Some(found)
            }
        };
        let mut session = arrive(&mail, 0).await?;
        let what = || format!("no answer from {address} in time");
        let inbox = async { session.imap().await?.status("INBOX").await };
        let inbox = bounded(inbox, what).await?.messages;
        let imap = session.imap().await?;
        let offers = Capability::all().filter(|(_, capability)| imap.offers(*capability));
        let imap_offers = offers.map(|(name, _)| name).collect();
        session.depart().await;
        Ok(Hello {
            imap_greeting,
            imap_offers,
            send_greeting,
            inbox,
        })
    })
}

/// The first line that a server sends.
async fn greeting(endpoint: &Endpoint, address: &str) -> Result<String, Fault> {
    let what = || format!("no answer from {address} within {PATIENCE:?}");
    let read = async {
        let mut transport = endpoint.connect().await.map_err(|fault| Fault {
            message: format!("{address}: {}", fault.message).into(),
            ..fault
        })?;
        let mut line = Vec::new();
        let mut byte = [0];
        while line.len() < GREETING_BYTES {
            let count = transport.read(&mut byte).await;
            if count.map_err(|error| Fault::from_io(&error))? == 0 || byte[0] == b'\n' {
                break;
            }
            line.push(byte[0]);
        }
        let text = String::from_utf8_lossy(&line);
        Ok(text.trim().escape_default().to_string())
    };
    tokio::time::timeout(PATIENCE, read)
        .await
        .unwrap_or_else(|_| Err(Fault::session(FaultKind::Timeout, what())))
}
