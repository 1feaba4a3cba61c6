//! Reconnecting after a lost connection: the user logs on again and reclaims the handles that the
//! server has kept (MS-SMB2 3.2.4.4, 3.3.5.9.7, 3.3.5.9.12).
//!
//! A server keeps a durable handle for a while after its connection is lost. It grants one only
//! with a batch oplock or a lease, so a user who wants durable handles requests a batch oplock
//! where the step requests none.

use headcount_load::{Fault, FaultKind};
use headcount_tree::parts::Share;
use headcount_tree::session::backend::{Opened, Opening, Refusal};

use super::open_file::{Claim, OpenFile};
use super::opening::request;
use super::session::SmbSession;
use crate::connection::Connection;
use crate::random;
use crate::wire::context::Durable;
use crate::wire::create::{DIRECTORY, Disposition, Opened as Created, Oplock, Request, access};
use crate::wire::header::Command;
use crate::wire::negotiate::Dialect;

/// CREATEs that only reconnecting users send, counted apart from others: to reclaim a handle, and
/// to open its file again if the handle is gone.
pub(super) const AGAIN: [&str; 2] = ["CREATE (reclaim)", "CREATE (reopen)"];
const RECLAIM: usize = Command::NAMES.len();
const REOPEN: usize = RECLAIM + 1;

impl SmbSession {
    /// Whether the user goes on after this fault.
    pub(super) fn outlives_fault(&self, fault: &Fault) -> bool {
        let is_lost = matches!(
            fault.kind,
            FaultKind::Connect | FaultKind::Disconnected | FaultKind::Timeout
        );
        self.shared.is_durable && fault.ends_session && is_lost
    }

    /// Logs on again on a new connection as the same client and has the server end the old session.
    /// Until that has ended, the server considers the user's handles in use.
    pub(super) async fn return_to_server(&mut self) -> Result<(), Fault> {
        let state = &self.connection.state;
        if state.session != 0 {
            self.lost = state.session;
        }
        let (client, requests) = (state.agreed.client, self.connection.requests());
        let (addresses, wanted) = (&self.shared.addresses, &self.shared.wanted);
        self.connection = Connection::establish_as(client, addresses, wanted, requests).await?;
        self.logon().await?;
        self.lost = 0;
        self.tree(Share::Data).await.map(drop)
    }

    /// Opens or makes a file or folder; `again` if it was open before the connection was lost.
    pub(super) async fn open_durably(
        &mut self,
        path: String,
        opening: Opening,
        again: bool,
    ) -> Result<Opened<OpenFile>, Refusal> {
        let mut request = request(&path, opening)?;
        let claim = self.request_durable(&mut request)?;
        let created = self.create_as(&request, again.then_some(REOPEN)).await?;
        self.keep_oplock(&created);
        Ok(Opened {
            end_of_file: created.end_of_file,
            file: OpenFile {
                id: created.file,
                claim: claim.filter(|_| created.is_durable),
                path,
            },
        })
    }

    /// Reclaims the handle of a file that was open when the connection was lost. Returns false if
    /// the handle was never durable, or if the server has given it up.
    pub(super) async fn reclaim_handle(&mut self, file: &mut OpenFile) -> Result<bool, Fault> {
        let Some(claim) = &file.claim else {
            return Ok(false);
        };
        // The server ignores the other fields: it has kept their values.
        let request = Request {
            oplock: claim.oplock,
            durable: Some(Durable {
                number: claim.number,
                back: Some(file.id),
            }),
            ..Request::plain(&file.path, access::READ, Disposition::Open)
        };
        match self.create_as(&request, Some(RECLAIM)).await {
            Ok(created) => {
                self.keep_oplock(&created);
                file.id = created.file;
                Ok(true)
            }
            Err(Refusal { fault, .. }) if fault.ends_session => Err(fault),
            Err(_) => Ok(false),
        }
    }

    /// Makes a request ask for a durable handle if the user wants them and the server can grant
    /// one: for a file, with an oplock or lease that lets the client keep the handle.
    fn request_durable(&self, request: &mut Request<'_>) -> Result<Option<Claim>, Fault> {
        if !self.shared.is_durable || request.options & DIRECTORY != 0 {
            return Ok(None);
        }
        match request.oplock {
            Oplock::None => request.oplock = Oplock::BATCH,
            Oplock::Lease(_) | Oplock::BATCH => {}
            Oplock::Level(_) => return Ok(None),
        }
        let has_numbers = self.connection.state.agreed.dialect > Dialect::Smb21;
        let number = has_numbers.then(random::bytes).transpose()?;
        request.durable = Some(Durable { number, back: None });
        Ok(Some(Claim {
            oplock: request.oplock,
            number,
        }))
    }

    /// Remembers an oplock whose break the client must acknowledge.
    fn keep_oplock(&mut self, created: &Created) {
        if let 8 | 9 = created.oplock {
            self.connection.state.kept.push(created.file);
        }
    }
}
