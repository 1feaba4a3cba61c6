//! One user's connection.

use headcount_load::fault::words;
use headcount_load::{Fault, FaultKind, Moved, Session, User};
use headcount_net::Transport;

use crate::client::{AUTH, GET, Redis, SELECT, SET};
use crate::keys::{Draw, NAME_BYTES, append_name};
use crate::options::DataSet;
use crate::resp::{Reply, append_bulk, append_command, append_head};
use crate::step::RedisStep;
use crate::value;
use crate::wire::{receive, send};

/// One user's connection.
#[derive(Debug)]
pub struct RedisSession {
    transport: Transport,
    data_set: DataSet,
    verify: bool,
    /// Number of values this session has written.
    writes: u64,
    /// Keys of the commands in flight, in order.
    keys: Vec<u32>,
}

impl RedisSession {
    /// Connects, logs on and selects the database.
    pub(crate) async fn open(redis: &Redis, user: &User) -> Result<Self, Fault> {
        let options = &redis.options;
        let mut transport = Transport::establish(&redis.addresses, redis.tls.as_ref()).await?;
        transport.hurry();
        let login = options.login(user.id());
        let database = options.database.to_string();
        let mut commands = Vec::new();
        if login.is_some() {
            commands.push(AUTH);
        }
        if options.database != 0 {
            commands.push(SELECT);
        }
        if !commands.is_empty() {
            let compose = |out: &mut Vec<u8>| {
                if let Some((name, password)) = login {
                    let password = password.reveal().as_bytes();
                    match name.as_bytes() {
                        [] => append_command(out, &[b"AUTH", password]),
                        name => append_command(out, &[b"AUTH", name, password]),
                    }
                }
                if options.database != 0 {
                    append_command(out, &[b"SELECT", database.as_bytes()]);
                }
            };
            send(&mut transport, compose).await?;
            let requests = user.requests();
            for command in &commands {
                requests.sent(*command);
            }
            receive(&mut transport, commands.len() as u32, |_, reply| {
                is_ok(reply)
            })
            .await
            .map_err(session_fault)?;
        }
        Ok(Self {
            transport,
            data_set: options.data_set,
            verify: options.verify,
            writes: 0,
            keys: Vec::new(),
        })
    }

    /// The TLS version and cipher that were negotiated; empty without TLS.
    pub(crate) fn agreed(&self) -> String {
        self.transport
            .agreed()
            .map_or_else(String::new, |agreed| agreed.to_string())
    }

    /// Sends one command and has `accept` judge its answer.
    pub(crate) async fn ask(
        &mut self,
        words: &[&[u8]],
        mut accept: impl FnMut(&Reply<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        send(&mut self.transport, |out| append_command(out, words)).await?;
        receive(&mut self.transport, 1, |_, reply| accept(reply)).await
    }

    /// Sends the `commands` commands that `compose` appends and has `accept` judge the answers.
    pub(crate) async fn ask_all(
        &mut self,
        commands: u32,
        compose: impl FnOnce(&mut Vec<u8>),
        accept: impl FnMut(u32, &Reply<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        send(&mut self.transport, compose).await?;
        receive(&mut self.transport, commands, accept).await
    }

    fn draw(&mut self, draw: Draw, pipeline: u32, user: &mut User) {
        let keys = self.data_set.keys;
        self.keys.clear();
        self.keys
            .extend((0..pipeline).map(|_| draw.key(user.stream(), keys)));
    }

    async fn get(&mut self) -> Result<Moved, Fault> {
        let Self {
            transport,
            data_set,
            verify,
            keys,
            ..
        } = self;
        send(transport, |out| {
            for key in keys.iter() {
                append_head(out, 2);
                append_bulk(out, 3, |out| out.extend_from_slice(b"GET"));
                append_bulk(out, NAME_BYTES, |out| append_name(out, *key));
            }
        })
        .await?;
        let mut read_bytes = 0;
        receive(transport, keys.len() as u32, |at, reply| {
            let key = keys[at as usize];
            let Reply::Bulk(Some(value)) = reply else {
                return Err(reply_fault(reply, "GET", key));
            };
            read_bytes += value.len() as u64;
            if *verify {
                value::check(value, data_set.seed, key, data_set.value_bytes)?;
            }
            Ok(())
        })
        .await?;
        Ok(Moved {
            read_bytes,
            written_bytes: 0,
        })
    }

    async fn set(&mut self, user: u32) -> Result<Moved, Fault> {
        let Self {
            transport,
            data_set,
            writes,
            keys,
            ..
        } = self;
        let bytes = data_set.value_bytes;
        send(transport, |out| {
            for key in keys.iter() {
                *writes += 1;
                let write = value::write_of(user, *writes);
                append_set(out, data_set, *key, write);
            }
        })
        .await?;
        receive(transport, keys.len() as u32, |at, reply| match reply {
            Reply::Status(b"OK") => Ok(()),
            other => Err(reply_fault(other, "SET", keys[at as usize])),
        })
        .await?;
        Ok(Moved {
            read_bytes: 0,
            written_bytes: u64::from(bytes) * keys.len() as u64,
        })
    }
}

/// Appends the command that writes a key.
pub(crate) fn append_set(out: &mut Vec<u8>, data_set: &DataSet, key: u32, write: u64) {
    append_head(out, 3);
    append_bulk(out, 3, |out| out.extend_from_slice(b"SET"));
    append_bulk(out, NAME_BYTES, |out| append_name(out, key));
    append_bulk(out, data_set.value_bytes as usize, |out| {
        value::append(out, data_set.seed, key, write, data_set.value_bytes);
    });
}

impl Session for RedisSession {
    type Step = RedisStep;

    async fn play(&mut self, step: &RedisStep, user: &mut User) -> Result<Moved, Fault> {
        let (command, keys, pipeline) = match *step {
            RedisStep::Get { keys, pipeline } => (GET, keys, pipeline),
            RedisStep::Set { keys, pipeline } => (SET, keys, pipeline),
        };
        self.draw(keys, pipeline, user);
        let requests = user.requests();
        for _ in 0..pipeline {
            requests.sent(command);
        }
        if command == GET {
            self.get().await
        } else {
            self.set(user.id()).await
        }
    }
}

/// Fails unless the reply is the status `OK`.
pub(crate) fn is_ok(reply: &Reply<'_>) -> Result<(), Fault> {
    match reply {
        Reply::Status(b"OK") => Ok(()),
        Reply::Error(message) => Err(of_error(message)),
        other => Err(Fault::session(
            FaultKind::Malformed,
            format!("{other} instead of OK"),
        )),
    }
}

/// The fault that a server's error means.
pub(crate) fn of_error(message: &[u8]) -> Fault {
    let text = words(&String::from_utf8_lossy(message));
    let code = text.split(' ').next().unwrap_or_default();
    let no_password_set = text.starts_with("ERR AUTH") || text.contains("without any password");
    // Servers before Redis 6, and proxies, have no codes for these (Redis 5.0: server.c).
    let is_of_old = ["ERR invalid password", "ERR Client sent AUTH"]
        .iter()
        .any(|start| text.starts_with(start));
    // The server says so before any command, and closes the connection.
    let is_turned_away = code == "DENIED" || text.starts_with("ERR max number of clients");
    match code {
        _ if is_turned_away => Fault::session(FaultKind::Connect, text),
        "NOAUTH" | "WRONGPASS" => Fault::step(FaultKind::Login, text),
        _ if no_password_set || is_of_old => Fault::step(FaultKind::Login, text),
        _ => Fault::step(FaultKind::Refused, text),
    }
}

fn reply_fault(reply: &Reply<'_>, command: &str, key: u32) -> Fault {
    match reply {
        Reply::Error(message) => of_error(message),
        Reply::Bulk(None) => Fault::step(
            FaultKind::WrongData,
            format!("{command} of key {key}: the key is not there"),
        ),
        other => Fault::session(
            FaultKind::Malformed,
            format!("{command} of key {key}: the answer is {other}"),
        ),
    }
}

/// The same fault, ending the session: without logon and database it cannot be used.
fn session_fault(fault: Fault) -> Fault {
    Fault {
        ends_session: true,
        ..fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_is_turned_away_has_no_session() {
        // Redis 7.0: networking.c.
        for message in [
            "ERR max number of clients reached",
            "ERR max number of clients + cluster connections reached",
            "DENIED Redis is running in protected mode because protected mode is enabled",
        ] {
            let expected = Fault::session(FaultKind::Connect, message);
            assert_eq!(of_error(message.as_bytes()), expected);
        }
    }

    #[test]
    fn every_servers_refusal_of_a_password_is_a_failed_login() {
        for message in [
            "WRONGPASS invalid username-password pair or user is disabled.",
            "ERR AUTH <password> called without any password configured for the default user.",
            "ERR invalid password",
            "ERR Client sent AUTH, but no password is set",
        ] {
            assert_eq!(of_error(message.as_bytes()).kind, FaultKind::Login);
        }
        let expected = Fault::step(FaultKind::Refused, "ERR syntax error");
        assert_eq!(of_error(b"ERR syntax error"), expected);
    }
}
