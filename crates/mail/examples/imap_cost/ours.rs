//! Our own client.

use std::cell::OnceCell;

use headcount_load::{Password, Stopwatch};
use headcount_mail::endpoint::Endpoint;
use headcount_mail::imap::{Authentication, Fetched, Imap, Uids, What};

use crate::common::dovecot::PASSWORD;
use crate::common::person::{name, user};
use crate::crowd::{Client, Wanted};

/// One session.
pub struct Ours(Imap);

thread_local! {
    /// The clock and the counters of the worker, which all of its users share.
    static STOPWATCH: OnceCell<Stopwatch> = const { OnceCell::new() };
}

fn stopwatch() -> Stopwatch {
    STOPWATCH.with(|stopwatch| stopwatch.get_or_init(|| user(0).stopwatch()).clone())
}

impl Client for Ours {
    async fn arrive(endpoint: &Endpoint, mailbox: u32) -> Self {
        let mut imap = Imap::connect(endpoint, stopwatch()).await.unwrap();
        let password = Password::new(PASSWORD);
        imap.login(&name(mailbox), &password, Authentication::Command)
            .await
            .unwrap();
        imap.select("INBOX").await.unwrap();
        Self(imap)
    }

    async fn noop(&mut self) {
        self.0.noop().await.unwrap();
    }

    async fn fetch(&mut self, wanted: Wanted) -> u64 {
        let (uids, what) = match wanted {
            Wanted::Headers => (Uids::all(), What::Header),
            Wanted::Message => (Uids::one(1), What::Whole),
        };
        let mut bytes = 0;
        let mut count = |fetched: Fetched<'_>| {
            if let Fetched::Piece(piece) = fetched {
                bytes += piece.bytes.len() as u64;
            }
        };
        self.0.fetch(&uids, what, &mut count).await.unwrap();
        bytes
    }

    async fn leave(self) {
        self.0.logout().await.unwrap();
    }
}
