//! One user's connection, logon and shares.

use std::sync::Arc;

use headcount_load::{Fault, User};
use headcount_tree::parts::Share;

use super::Shared;
use super::answer::{cannot_encrypt, other_form, refuse, unencrypted};
use crate::connection::{Ask, Connection};
use crate::wire::header::{Command, Response};
use crate::wire::{session, tree};

/// One user's connection.
#[derive(Debug)]
pub struct SmbSession {
    pub(super) shared: Arc<Shared>,
    pub(super) connection: Connection,
    /// The user's number in names.
    pub(super) number: u32,
    /// The trees of the data share and of `IPC$`.
    trees: [Option<u32>; 2],
    /// Whether the server has confirmed the negotiation, where the dialect does not do so itself.
    is_validated: bool,
    /// The id of the lost session while the user logs on again; otherwise 0.
    pub(super) lost: u64,
}

impl SmbSession {
    /// Connects, logs the user on and connects to the share with the files.
    pub(super) async fn establish(shared: &Arc<Shared>, user: &User) -> Result<Self, Fault> {
        let named = |fault: Fault| Fault {
            message: format!("{}: {}", shared.name, fault.message).into(),
            ends_session: true,
            ..fault
        };
        let number = shared.tree.number(user.id());
        let connection = Connection::establish(&shared.addresses, &shared.wanted, user.requests())
            .await
            .map_err(named)?;
        let mut session = Self {
            shared: Arc::clone(shared),
            connection,
            number,
            trees: [None; 2],
            is_validated: false,
            lost: 0,
        };
        session.logon().await.map_err(named)?;
        session.tree(Share::Data).await.map_err(named)?;
        Ok(session)
    }

    /// The tree of a share. Connects to it if needed: a scenario that failed halfway must not make
    /// the next ones fail, too.
    pub(super) async fn tree(&mut self, share: Share) -> Result<u32, Fault> {
        match self.trees[share as usize] {
            Some(tree) if self.connection.state.session != 0 => Ok(tree),
            // Boxed: rare and large, it would otherwise enlarge every step's future.
            _ => Box::pin(self.restore(share)).await,
        }
    }

    async fn restore(&mut self, share: Share) -> Result<u32, Fault> {
        if self.connection.state.session == 0 {
            self.logon().await?;
        }
        match self.trees[share as usize] {
            Some(tree) => Ok(tree),
            None => self.connect_tree(share).await,
        }
    }

    async fn connect_tree(&mut self, share: Share) -> Result<u32, Fault> {
        let name = match share {
            Share::Data => self.shared.share_of(self.number),
            Share::Ipc => "IPC$".to_owned(),
        };
        let connected = self.connect_to(&name).await?;
        self.trees[share as usize] = Some(connected);
        if share == Share::Data {
            self.connection.state.tree = connected;
        }
        let (wanted, dialect) = (&self.shared.wanted, self.connection.state.agreed.dialect);
        if !self.is_validated && wanted.must_validate(dialect) {
            self.connection.validate(connected, wanted).await?;
            self.is_validated = true; // once a session
        }
        Ok(connected)
    }

    /// Connects to a share by its name.
    pub(super) async fn connect_to(&mut self, name: &str) -> Result<u32, Fault> {
        let path = format!("\\\\{}\\{name}", self.shared.host);
        // Dialect 3.1.1 requires a signature here (MS-SMB2 3.2.4.1.1).
        let ask = Ask {
            must_sign: true,
            ..Ask::new(Command::TreeConnect, 0)
        };
        let (policy, agreed) = (self.shared.wanted.encryption, self.connection.state.agreed);
        let (connected, flags) = self
            .connection
            .exchange(
                ask,
                |out| tree::encode(out, &path),
                |head, body| {
                    refuse(head, || format!("TREE_CONNECT to {path}"))
                        .map_err(|fault| unencrypted(fault, head.status, policy, &agreed))?;
                    let flags =
                        tree::parse(body).ok_or_else(|| other_form(Command::TreeConnect))?;
                    Ok((head.tree, flags))
                },
            )
            .await?;
        let encryption = &mut self.connection.state.encryption;
        if flags & tree::ENCRYPT_SHARE != 0 && !encryption.begin_tree(connected) {
            return Err(cannot_encrypt(&path, policy, &agreed));
        }
        Ok(connected)
    }

    /// Forgets the state of an earlier session.
    pub(super) fn forget_session(&mut self) {
        self.trees = [None; 2];
        self.is_validated = false;
        self.connection.state.end_session();
    }

    /// Disconnects from a share, if connected. The server closes the files open there.
    pub(super) async fn disconnect_tree(&mut self, share: Share) -> Result<(), Fault> {
        if let Some(tree) = self.trees[share as usize].take() {
            self.say(Command::TreeDisconnect, tree).await?;
            self.connection.state.encryption.end_tree(tree);
        }
        Ok(())
    }

    /// Sends a request without parameters.
    pub(super) async fn say(&mut self, command: Command, tree: u32) -> Result<(), Fault> {
        let accept = |head: &Response, _: &[u8]| refuse(head, || command.name().to_owned());
        self.connection
            .exchange(Ask::new(command, tree), session::encode_nothing, accept)
            .await
    }

    pub(super) async fn logoff(&mut self) -> Result<(), Fault> {
        if self.connection.state.session == 0 {
            return Ok(());
        }
        self.disconnect_tree(Share::Ipc).await?;
        self.disconnect_tree(Share::Data).await?;
        self.say(Command::Logoff, 0).await?;
        self.connection.state.end_session();
        Ok(())
    }

    pub(super) async fn log_on_again(&mut self, reconnect: bool) -> Result<(), Fault> {
        self.logoff().await?;
        if reconnect {
            let Shared {
                addresses, wanted, ..
            } = &*self.shared;
            let requests = self.connection.requests();
            self.connection = Connection::establish(addresses, wanted, requests).await?;
        }
        self.logon().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::encrypt::Encryptor;
    use crate::auth::sign::Signer;

    #[test]
    fn sessions_and_their_keys_are_small() {
        assert!(
            size_of::<SmbSession>() <= 1024,
            "{}",
            size_of::<SmbSession>()
        );
        const { assert!(Signer::MOST_BYTES <= 1024) };
        const { assert!(Encryptor::MOST_BYTES <= 2048) }; // two keys
    }
}
