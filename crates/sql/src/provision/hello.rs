//! Who answers, and how it is set up.

use std::collections::BTreeMap;

use serde::Serialize;

use headcount_net::Agreed;

use super::error::ProvisionError;
use super::patience::{Desk, run};
use super::question::Question;
use super::schema::state;
use crate::client::Sql;
use crate::options::SqlOptions;
use crate::parameter::Parameter;
use crate::row::Type::{Int4, Text};

/// The server's settings that affect its capacity (PostgreSQL 15, chapter 20).
const SETTINGS: [&str; 22] = [
    "autovacuum",
    "checkpoint_completion_target",
    "checkpoint_timeout",
    "commit_delay",
    "effective_cache_size",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "jit",
    "max_connections",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "random_page_cost",
    "shared_buffers",
    "superuser_reserved_connections",
    "synchronous_commit",
    "wal_buffers",
    "wal_compression",
    "wal_level",
    "wal_sync_method",
    "work_mem",
];

/// What a server reports about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// Its version, such as `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    /// The version of TLS and the cipher, or nothing without TLS.
    pub tls: String,
    /// How it authenticated the user, in the words of `require_auth`, and whether the proof was
    /// bound to its certificate.
    pub authentication: String,
    /// Its process for this connection, whose parent is the server.
    pub backend_pid: i32,
    /// Whether a pooler answers in the server's place: it names another process for the connection.
    pub is_pooled: bool,
    /// Settings and their values, as `SHOW` prints them.
    pub settings: BTreeMap<String, String>,
}

/// Logs on, asks for the settings, and, if users need the schema, checks that one of its name was
/// made by Headcount.
pub fn hello(options: SqlOptions) -> Result<Hello, ProvisionError> {
    const WHO: &str = "SELECT current_setting('server_version'), pg_backend_pid(), \
        coalesce((SELECT version || ' ' || cipher FROM pg_stat_ssl \
        WHERE pid = pg_backend_pid() AND ssl), '')";
    const SHOW: &str = "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1)";
    let sql = Sql::new(options)?;
    run(async {
        let mut desk = Desk::open(&sql).await?;
        if sql.shared.has_schema {
            state(&mut desk, &sql.shared).await?;
        }
        let who = Question::new(WHO, &[Text, Int4, Text]);
        let (version, backend_pid, tls) = desk
            .ask(None, async |wire| {
                who.ask_one(wire, |row| {
                    let version = row.read::<&str>()?.to_owned();
                    Ok((version, row.read()?, row.read::<&str>()?.to_owned()))
                })
                .await
            })
            .await?;
        let show = Question {
            text: SHOW,
            parameters: &[Parameter::Texts(&SETTINGS)],
            columns: &[Text, Text],
        };
        let settings = desk
            .ask(None, async |wire| {
                let mut settings = BTreeMap::new();
                show.ask(wire, |row| {
                    let name = row.read::<&str>()?.to_owned();
                    settings.insert(name, row.read::<&str>()?.to_owned());
                    Ok(())
                })
                .await?;
                Ok(settings)
            })
            .await?;
        let protection = desk.protection();
        let is_pooled = desk.process() != backend_pid;
        desk.close().await;
        Ok(Hello {
            version,
            backend_pid,
            is_pooled,
            tls: tls_words(protection.tls, tls),
            authentication: protection.authentication(),
            settings,
        })
    })
}

/// The server's words for TLS, if the client side uses it: behind a pooler the server describes
/// another connection.
fn tls_words(agreed: Option<Agreed>, servers: String) -> String {
    match agreed {
        Some(agreed) if servers.is_empty() => agreed.to_string(),
        Some(_) => servers,
        None => String::new(),
    }
}
