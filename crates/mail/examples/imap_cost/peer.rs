//! The crate `async-imap`.

use async_imap::Session;
use futures_util::TryStreamExt;
use headcount_mail::endpoint::Endpoint;
use tokio::net::TcpStream;

use crate::common::dovecot::PASSWORD;
use crate::common::person::name;
use crate::crowd::{Client, Wanted};

/// One session.
pub struct Peer(Session<TcpStream>);

impl Client for Peer {
    async fn arrive(endpoint: &Endpoint, mailbox: u32) -> Self {
        let stream = TcpStream::connect(endpoint.addresses[0]).await.unwrap();
        let mut client = async_imap::Client::new(stream);
        client.read_response().await.unwrap().unwrap();
        let logged_on = client.login(name(mailbox), PASSWORD).await;
        let mut session = logged_on.map_err(|(error, _)| error).unwrap();
        session.select("INBOX").await.unwrap();
        Self(session)
    }

    async fn noop(&mut self) {
        self.0.noop().await.unwrap();
    }

    async fn fetch(&mut self, wanted: Wanted) -> u64 {
        let (uids, what) = match wanted {
            Wanted::Headers => ("1:*", "(BODY.PEEK[HEADER])"),
            Wanted::Message => ("1", "(BODY.PEEK[])"),
        };
        let mut bytes = 0;
        let mut messages = self.0.uid_fetch(uids, what).await.unwrap();
        while let Some(message) = messages.try_next().await.unwrap() {
            bytes += message
                .header()
                .or_else(|| message.body())
                .map_or(0, <[u8]>::len) as u64;
        }
        bytes
    }

    async fn leave(mut self) {
        self.0.logout().await.unwrap();
    }
}
