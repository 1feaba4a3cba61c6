//! One user's session outside of a run.

use std::time::Duration;

use headcount_load::{Fault, User, provision};
use headcount_tree::parts::Share;
use headcount_tree::provision::MOST_MARKER_BYTES;

use crate::client::answer::{other_form, refuse};
use crate::client::{Smb, SmbSession};
use crate::connection::Ask;
use crate::wire::create::{Disposition, Request, access};
use crate::wire::header::Command;
use crate::wire::status::Status;
use crate::wire::transfer::{encode_read, encode_write, parse_read, parse_write};

/// Sessions at a time. A logon costs a server much more than a request: with more of them at once,
/// each only waits longer.
pub const AT_A_TIME: usize = 8;
/// The time limit of one operation: a logon at a server that serves others too, or one file of
/// 16 MiB over a slow network.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a log-off may take.
const LOG_OFF: Duration = Duration::from_secs(5);

/// Logs on as the user with this number of the run.
pub async fn arrive(smb: &Smb, id: u32) -> Result<SmbSession, Fault> {
    arrive_within(smb, id, PATIENCE).await
}

/// The same, with a time limit of `patience`.
pub async fn arrive_within(smb: &Smb, id: u32, patience: Duration) -> Result<SmbSession, Fault> {
    let what = || format!("no answer from {} within {patience:?}", smb.shared.name);
    let open = async |user: &mut User| SmbSession::establish(&smb.shared, user).await;
    provision::arrive(open, id, patience, what).await
}

/// Logs off once the work is done. Ignores errors, and waits a few seconds at most.
pub async fn log_off(session: &mut SmbSession) {
    let _ = tokio::time::timeout(LOG_OFF, session.logoff()).await; // the connection ends anyway
}

/// Runs `work` with the time limit; `what` is the message if the server does not answer in time.
pub async fn bounded<T, E: From<Fault>>(
    work: impl Future<Output = Result<T, E>>,
    what: impl FnOnce() -> String,
) -> Result<T, E> {
    provision::bounded(PATIENCE, work, what).await
}

impl SmbSession {
    /// The contents of a small file; `None` if there is no such file.
    pub(super) async fn note(&mut self, path: &str) -> Result<Option<Vec<u8>>, Fault> {
        let request = Request::plain(path, access::READ, Disposition::Open);
        let Some(opened) = self.create_if_there(&request).await? else {
            return Ok(None);
        };
        let bytes = MOST_MARKER_BYTES.min(self.connection.state.agreed.max_read);
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Read, self.tree(Share::Data).await?)
        };
        let read = self
            .connection
            .exchange(
                ask,
                |out| encode_read(out, &opened.file, 0, bytes),
                |head, body| {
                    if head.status == Status::END_OF_FILE {
                        return Ok(Vec::new());
                    }
                    refuse(head, || format!("READ \"{path}\""))?;
                    parse_read(body)
                        .map(<[u8]>::to_vec)
                        .ok_or_else(|| other_form(Command::Read))
                },
            )
            .await?;
        self.close_id(&opened.file).await?;
        Ok(Some(read))
    }

    /// Writes a small file, replacing an existing one.
    pub(super) async fn leave_note(&mut self, path: &str, text: &[u8]) -> Result<(), Fault> {
        let request = Request::plain(path, access::READ | access::WRITE, Disposition::OverwriteIf);
        let file = self.create(&request).await?.file;
        let bytes = text.len() as u32;
        let ask = Ask {
            bytes,
            ..Ask::new(Command::Write, self.tree(Share::Data).await?)
        };
        self.connection
            .exchange(
                ask,
                |out| encode_write(out, &file, 0, bytes, |data| data.copy_from_slice(text)),
                |head, body| {
                    refuse(head, || format!("WRITE \"{path}\""))?;
                    match parse_write(body) {
                        Some(written) if written == bytes => Ok(()),
                        _ => Err(other_form(Command::Write)),
                    }
                },
            )
            .await?;
        self.close_id(&file).await
    }
}
