//! What the servers say about themselves.

use std::time::Duration;

use headcount_load::Fault;
use headcount_load::provision::run;
use serde::Serialize;
use tokio::io::AsyncReadExt;

use super::errand::arrive_within;
use super::error::ProvisionError;
use crate::client::Mail;
use crate::endpoint::Endpoint;
use crate::imap::Capability;
use crate::options::MailOptions;
use crate::stage::{self, within};

/// Bytes of a greeting that are shown.
const GREETING_BYTES: usize = 300;
/// The time limit of each conversation, from connecting to the last answer. Servers that delay
/// their greeting to repel spammers take 5 or 6 s (Sendmail, Postfix), and a logon may wait for a
/// slow directory; a server slower than this is unusable.
pub const LIMIT: Duration = Duration::from_secs(20);

/// What the servers say about themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// The IMAP server's greeting.
    pub imap_greeting: String,
    /// Those of its capabilities that Headcount uses.
    pub imap_offers: Vec<&'static str>,
    /// The greeting of the server that mail is sent through, if there is one.
    pub send_greeting: Option<String>,
    /// Messages in the first user's inbox.
    pub inbox: u32,
}

/// Logs on as the first user of the target, and connects to the server that mail is sent through.
/// Each conversation has the time limit [`LIMIT`].
pub fn hello(options: MailOptions) -> Result<Hello, ProvisionError> {
    hello_within(LIMIT, options)
}

/// The same with another time limit.
pub fn hello_within(limit: Duration, options: MailOptions) -> Result<Hello, ProvisionError> {
    let mail = Mail::new(options)?;
    run(async {
        let shared = &mail.shared;
        let address = &shared.options.imap.address;
        let imap_greeting = within(limit, address, greeting(&shared.imap)).await?;
        let send_greeting = match &shared.sending {
            None => None,
            Some((endpoint, sending)) => {
                let address = &sending.server.address;
                Some(within(limit, address, greeting(endpoint)).await?)
            }
        };
        let mut session = arrive_within(limit, &mail, 0).await?;
        if let Some((_, sending)) = &shared.sending {
            within(limit, &sending.server.address, session.try_sending()).await?;
        }
        let inbox = async {
            stage::enter("STATUS INBOX");
            session.imap().await?.status("INBOX").await
        };
        let inbox = within(limit, address, inbox).await?.messages;
        let imap = session.imap().await?;
        let offers = Capability::all().filter(|(_, capability)| imap.offers(*capability));
        let imap_offers = offers.map(|(name, _)| name).collect();
        session.log_off().await;
        Ok(Hello {
            imap_greeting,
            imap_offers,
            send_greeting,
            inbox,
        })
    })
}

/// The first line that a server sends.
async fn greeting(endpoint: &Endpoint) -> Result<String, Fault> {
    let mut transport = endpoint.connect().await?;
    stage::enter("the greeting");
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
}
