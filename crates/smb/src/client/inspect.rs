//! CREATE, QUERY_INFO and CLOSE in one frame: how Explorer asks about a name.
#![allow(
    clippy::doc_markdown,
    reason = "commands are written as the specification writes them"
)]

use headcount_load::{Fault, FaultKind, User};
use headcount_tree::parts::{Name, Share};
use headcount_tree::query::Query;

use super::metadata::ANSWER_BYTES;
use super::session::{SmbSession, other_form, refuse};
use crate::connection::Ask;
use crate::wire::NO_FILE;
use crate::wire::create::{Disposition, Opened, Oplock, Request, SHARE_ALL, access, encode_close};
use crate::wire::header::{Command, Response};
use crate::wire::info::QueryInfo;

impl SmbSession {
    /// Asks about a name. `missing`: that there is nothing of this name is the success.
    pub(super) async fn inspect(
        &mut self,
        name: &Name,
        class: Query,
        missing: bool,
        user: &mut User,
    ) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        let security = if class == Query::Security {
            access::READ_SECURITY
        } else {
            0
        };
        let request = Request {
            path: &path,
            access: access::READ_ATTRIBUTES | security,
            share: SHARE_ALL,
            disposition: Disposition::Open,
            options: 0,
            oplock: Oplock::None,
        };
        let tree = self.tree(Share::Data).await?;
        let asks = [
            Ask::new(Command::Create, tree),
            Ask {
                bytes: ANSWER_BYTES,
                ..Ask::new(Command::QueryInfo, tree)
            },
            Ask::new(Command::Close, tree),
        ];
        // All three answers are waited for, whatever the first says.
        let (mut is_missing, mut faults) = (false, [None, None, None]);
        self.connection
            .exchange_related(
                &asks,
                |index, out| match index {
                    0 => request.encode(out),
                    1 => class.encode(out, &NO_FILE, ANSWER_BYTES),
                    _ => encode_close(out, &NO_FILE),
                },
                |index, head, body| {
                    is_missing |= index == 0 && head.status.is_not_found();
                    let command = asks[index].command;
                    faults[index] = judge(command, class, head, body, &path).err();
                },
            )
            .await?;
        let [created, asked, closed] = faults;
        match (missing, is_missing) {
            (true, true) => Ok(()),
            (true, false) => Err(created.unwrap_or_else(|| is_there(&path))),
            (false, _) => created.or(asked).or(closed).map_or(Ok(()), Err),
        }
    }
}

/// Judges one of the three answers.
fn judge(
    command: Command,
    class: Query,
    head: &Response,
    body: &[u8],
    path: &str,
) -> Result<(), Fault> {
    refuse(head, || format!("{} \"{path}\"", command.name()))?;
    let has_form = match command {
        Command::Create => Opened::parse(body).is_some(),
        Command::QueryInfo => class.parse(body).is_some(),
        _ => true,
    };
    has_form.then_some(()).ok_or_else(|| other_form(command))
}

/// The fault of a name that should not be there.
pub(super) fn is_there(path: &str) -> Fault {
    let sentence = format!("CREATE \"{path}\": it exists, but should not");
    Fault::step(FaultKind::Refused, sentence)
}
