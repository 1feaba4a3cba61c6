//! Makes and deletes the data set. A key marks it as Headcount's; without that marker, keys with
//! Headcount's prefix belong to somebody else.

mod error;
mod scan;

use std::cell::RefCell;
use std::time::Duration;

use headcount_load::provision::{arrive, bounded, run};
use headcount_load::target::{OnStatus, Order};
use headcount_load::{Fault, FaultKind, Protocol, User};
use serde::Serialize;

pub use error::ProvisionError;

use crate::client::Redis;
use crate::keys::{MARKER, NAME_BYTES, PREFIX, append_name};
use crate::options::{DataSet, RedisOptions};
use crate::resp::{Reply, append_bulk, append_head};
use crate::session::{RedisSession, append_set, is_ok, of_error};
use crate::value::{self, PREPARED};
use scan::{Cursor, scan};

/// Longest wait for each answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes that are written or read in one pipeline.
const AT_ONCE_BYTES: u32 = 1 << 20;

/// What the server says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// The server's version.
    pub version: String,
    /// The TLS version and cipher that were negotiated; empty without TLS.
    pub tls: String,
    /// The settings that INFO reports.
    pub settings: Vec<(String, String)>,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Keys written or checked so far.
    pub keys_done: u32,
    /// Keys of the data set.
    pub keys: u32,
}

/// What was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Prepared {
    /// Keys that were written.
    pub made_keys: u32,
    /// Bytes of their values.
    pub written_bytes: u64,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Whether there was a data set.
    pub found: bool,
    /// Keys that are gone.
    pub keys: u64,
}

/// Most bytes read from INFO, which usually has some 10 KB.
const MOST_INFO_BYTES: usize = 1 << 20;

/// The fields of INFO that describe the configuration, and their names in reports.
const SETTINGS: [(&str, &str); 6] = [
    ("redis_mode", "mode"),
    ("io_threads_active", "io threads active"),
    ("maxmemory_human", "maxmemory"),
    ("maxmemory_policy", "maxmemory-policy"),
    ("aof_enabled", "appendonly"),
    ("maxclients", "maxclients"),
];

/// Logs on and reads version and settings from INFO.
pub fn hello(options: RedisOptions) -> Result<Hello, ProvisionError> {
    let redis = Redis::new(options)?;
    run(async {
        let mut session = open(&redis).await?;
        let tls = session.agreed();
        let info = RefCell::new(String::new());
        let words: [&[u8]; 1] = [b"INFO"];
        let ask = session.ask(&words, |reply| match reply {
            Reply::Bulk(Some(text)) => {
                let read = &text[..text.len().min(MOST_INFO_BYTES)];
                *info.borrow_mut() = String::from_utf8_lossy(read).into_owned();
                Ok(())
            }
            // A user without permission for INFO can still be played.
            Reply::Error(message) if of_error(message).kind == FaultKind::Refused => Ok(()),
            other => Err(unexpected("INFO", other)),
        });
        patient(ask, "INFO").await?;
        let info = info.into_inner();
        let field = |name: &str| {
            info.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(str::to_owned)
        };
        Ok(Hello {
            version: field("redis_version").unwrap_or_else(|| "unknown".to_owned()),
            tls,
            settings: SETTINGS
                .iter()
                .filter_map(|(name, title)| Some(((*title).to_owned(), field(name)?)))
                .collect(),
        })
    })
}

/// Writes every key's first value. A data set with the right marker is left as it is, unless the
/// order is to read it through: then missing and damaged keys are written.
pub fn prepare(
    options: RedisOptions,
    order: Order,
    on_status: &mut OnStatus<'_>,
) -> Result<Prepared, ProvisionError> {
    let redis = Redis::new(options)?;
    let set = redis.options.data_set;
    run(async {
        let mut session = open(&redis).await?;
        let wanted = inscription(&set);
        match marker(&mut session).await? {
            Some(found) if found == wanted && !order.read_through => {
                return Ok(Prepared::default());
            }
            Some(found) if found == wanted => {
                return mend(&mut session, &set, on_status).await;
            }
            Some(_) => {
                delete(&mut session, on_status).await?;
            }
            None => refuse_others(&mut session, &redis, on_status).await?,
        }
        // The marker comes first, so that the keys of a run that is killed are known as
        // Headcount's. It says "unfinished" until all keys are written.
        mark(&mut session, &format!("{wanted} (unfinished)")).await?;
        let all: Vec<u32> = (0..set.keys).collect();
        let made = write(&mut session, &set, &all, on_status).await?;
        mark(&mut session, &wanted).await?;
        Ok(made)
    })
}

/// Deletes the keys of the data set, and nothing else.
pub fn cleanup(
    options: RedisOptions,
    on_status: &mut OnStatus<'_>,
) -> Result<Cleaned, ProvisionError> {
    let redis = Redis::new(options)?;
    run(async {
        let mut session = open(&redis).await?;
        if marker(&mut session).await?.is_none() {
            return Ok(Cleaned::default());
        }
        let keys = delete(&mut session, on_status).await?;
        Ok(Cleaned { found: true, keys })
    })
}

async fn open(redis: &Redis) -> Result<RedisSession, ProvisionError> {
    let address = &redis.options.address;
    let silent = || format!("no answer within {} s", PATIENCE.as_secs());
    let door = async |user: &mut User| redis.open(user).await;
    let opened = arrive(door, 0, PATIENCE, silent).await;
    opened.map_err(|fault| {
        ProvisionError::Fault(Fault {
            message: format!("{address}: {}", fault.message).into(),
            ..fault
        })
    })
}

async fn patient<T>(work: impl Future<Output = Result<T, Fault>>, what: &str) -> Result<T, Fault> {
    let sentence = || format!("no answer to {what} within {} s", PATIENCE.as_secs());
    bounded(PATIENCE, work, sentence).await
}

/// The text of a data set's marker; different data sets have different texts.
fn inscription(set: &DataSet) -> String {
    format!(
        "Headcount's: keys that begin with {PREFIX} are made and deleted by it; keys {}, \
         value_bytes {}, seed {}",
        set.keys, set.value_bytes, set.seed
    )
}

async fn marker(session: &mut RedisSession) -> Result<Option<String>, ProvisionError> {
    let found = RefCell::new(None);
    let words: [&[u8]; 2] = [b"GET", MARKER.as_bytes()];
    let ask = session.ask(&words, |reply| match reply {
        Reply::Bulk(text) => {
            *found.borrow_mut() = text.map(|text| String::from_utf8_lossy(text).into_owned());
            Ok(())
        }
        other => Err(unexpected("GET", other)),
    });
    patient(ask, "GET").await?;
    Ok(found.into_inner())
}

async fn mark(session: &mut RedisSession, text: &str) -> Result<(), ProvisionError> {
    let words: [&[u8]; 3] = [b"SET", MARKER.as_bytes(), text.as_bytes()];
    Ok(patient(session.ask(&words, is_ok), "SET").await?)
}

/// Fails if there is a key with Headcount's prefix.
async fn refuse_others(
    session: &mut RedisSession,
    redis: &Redis,
    on_status: &mut OnStatus<'_>,
) -> Result<(), ProvisionError> {
    let mut cursor = Cursor::default();
    loop {
        let keys = scan(session, &mut cursor).await?;
        if !keys.is_empty() {
            let database = redis.options.database;
            return Err(ProvisionError::NotOurs {
                database,
                other: database + 1,
            });
        }
        if cursor.is_at_end() {
            return Ok(());
        }
        report(on_status, 0, 0)?; // the caller can cancel here
    }
}

/// Deletes all keys with Headcount's prefix, the marker last. Returns their number without the
/// marker.
async fn delete(
    session: &mut RedisSession,
    on_status: &mut OnStatus<'_>,
) -> Result<u64, ProvisionError> {
    let mut deleted = 0;
    let mut cursor = Cursor::default();
    loop {
        let mut keys = scan(session, &mut cursor).await?;
        keys.retain(|key| key != MARKER.as_bytes());
        if !keys.is_empty() {
            let mut words: Vec<&[u8]> = vec![b"DEL"];
            words.extend(keys.iter().map(Vec::as_slice));
            deleted += count(session, &words, "DEL").await?;
        }
        report(on_status, 0, 0)?;
        if cursor.is_at_end() {
            break;
        }
    }
    count(session, &[b"DEL", MARKER.as_bytes()], "DEL").await?;
    Ok(deleted)
}

async fn count(
    session: &mut RedisSession,
    words: &[&[u8]],
    command: &str,
) -> Result<u64, ProvisionError> {
    let mut number = 0;
    let ask = session.ask(words, |reply| match reply {
        Reply::Integer(found) => {
            number = (*found).max(0) as u64;
            Ok(())
        }
        other => Err(unexpected(command, other)),
    });
    patient(ask, command).await?;
    Ok(number)
}

/// Reads all keys, and writes those that are missing or damaged.
async fn mend(
    session: &mut RedisSession,
    set: &DataSet,
    on_status: &mut OnStatus<'_>,
) -> Result<Prepared, ProvisionError> {
    let mut wrong = Vec::new();
    let all: Vec<u32> = (0..set.keys).collect();
    for keys in all.chunks(at_once(set)) {
        let compose = |out: &mut Vec<u8>| {
            for key in keys {
                append_head(out, 2);
                append_bulk(out, 3, |out| out.extend_from_slice(b"GET"));
                append_bulk(out, NAME_BYTES, |out| append_name(out, *key));
            }
        };
        let ask = session.ask_all(keys.len() as u32, compose, |at, reply| {
            let key = keys[at as usize];
            match reply {
                Reply::Bulk(Some(bytes))
                    if value::check(bytes, set.seed, key, set.value_bytes).is_ok() => {}
                Reply::Bulk(_) => wrong.push(key),
                other => return Err(unexpected("GET", other)),
            }
            Ok(())
        });
        patient(ask, "GET").await?;
        report(on_status, keys.last().map_or(0, |last| last + 1), set.keys)?;
    }
    write(session, set, &wrong, on_status).await
}

async fn write(
    session: &mut RedisSession,
    set: &DataSet,
    keys: &[u32],
    on_status: &mut OnStatus<'_>,
) -> Result<Prepared, ProvisionError> {
    let mut made = Prepared::default();
    for part in keys.chunks(at_once(set)) {
        let compose = |out: &mut Vec<u8>| {
            for key in part {
                append_set(out, set, *key, PREPARED);
            }
        };
        let ask = session.ask_all(part.len() as u32, compose, |_, reply| is_ok(reply));
        patient(ask, "SET").await?;
        made.made_keys += part.len() as u32;
        made.written_bytes += u64::from(set.value_bytes) * part.len() as u64;
        report(on_status, made.made_keys, keys.len() as u32)?;
    }
    Ok(made)
}

/// Keys that are read or written in one pipeline.
const fn at_once(set: &DataSet) -> usize {
    let keys = AT_ONCE_BYTES / set.value_bytes;
    if keys == 0 { 1 } else { keys as usize }
}

fn report(on_status: &mut OnStatus<'_>, keys_done: u32, keys: u32) -> Result<(), ProvisionError> {
    let progress = Progress { keys_done, keys };
    if on_status(headcount_load::target::value(&progress)).is_break() {
        return Err(ProvisionError::Cancelled);
    }
    Ok(())
}

fn unexpected(command: &str, reply: &Reply<'_>) -> Fault {
    match reply {
        Reply::Error(message) => of_error(message),
        _ => Fault::session(
            FaultKind::Malformed,
            format!("the answer to {command} is unexpected"),
        ),
    }
}
