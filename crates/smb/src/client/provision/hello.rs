//! The terms that a server agrees to with its first user.

use std::time::Duration;

use headcount_load::Fault;
use headcount_load::provision::{bounded, run};
use headcount_tree::parts::Share;
use headcount_tree::query::Query;
use serde::Serialize;

use super::errand::{arrive_within, log_off};
use super::error::ProvisionError;
use crate::client::Smb;
use crate::client::answer::{other_form, refuse};
use crate::client::session::SmbSession;
use crate::connection::Ask;
use crate::options::SmbOptions;
use crate::wire::create::{DIRECTORY, Disposition, Request, access};
use crate::wire::fields::{u32_at, u64_at};
use crate::wire::header::Command;
use crate::wire::info::QueryInfo;
use crate::wire::negotiate::SigningAlgorithm;

/// The time limit of the first logon, and of a look at the share. There is no load yet, so only a
/// server that asks a directory for the password takes seconds. It is also how long you wait if the
/// port is not that of an SMB server.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a server and its first user agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// The dialect.
    pub dialect: &'static str,
    /// How messages are signed: a name, or `off`.
    pub signing: &'static str,
    /// How messages about the share are encrypted: a name, or `off`.
    pub encryption: &'static str,
    /// Bytes of the largest read.
    pub max_read_bytes: u32,
    /// Bytes of the largest write.
    pub max_write_bytes: u32,
    /// The first user's share.
    pub share: String,
    /// Bytes that may still be written there.
    pub free_bytes: u64,
}

/// Logs on as the first user and looks at the share.
pub fn hello(options: SmbOptions) -> Result<Hello, ProvisionError> {
    let smb = Smb::new(options)?;
    run(async {
        let mut session = arrive_within(&smb, 0, PATIENCE).await?;
        let what = || "no answer about the share's free space".to_owned();
        let space = bounded(PATIENCE, session.space(), what).await?;
        let tree = session.tree(Share::Data).await?;
        let agreed = &session.connection.state.agreed;
        let found = Hello {
            dialect: agreed.dialect.name(),
            signing: session.signing_name(),
            encryption: session.connection.state.encryption.name(tree),
            max_read_bytes: agreed.max_read,
            max_write_bytes: agreed.max_write,
            share: smb.shared.share_of(session.number),
            free_bytes: space.free_bytes,
        };
        log_off(&mut session).await;
        Ok(found)
    })
}

/// Room on a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Which volume it is.
    pub volume: u32,
    /// Bytes that this user may still write.
    pub free_bytes: u64,
}

impl SmbSession {
    fn signing_name(&self) -> &'static str {
        if !self.connection.state.is_signing {
            return "off";
        }
        match self.connection.state.agreed.algorithm {
            SigningAlgorithm::HmacSha256 => "HMAC-SHA256",
            SigningAlgorithm::AesCmac => "AES-128-CMAC",
            SigningAlgorithm::AesGmac => "AES-128-GMAC",
        }
    }

    /// How much room there is on the user's share.
    pub(super) async fn space(&mut self) -> Result<Space, Fault> {
        let mut request = Request::plain("", access::READ_ATTRIBUTES, Disposition::Open);
        request.options = DIRECTORY;
        let file = self.create(&request).await?.file;
        let free_bytes = self
            .ask(&file, Query::FileSystemSize, |answer| {
                // FileFsFullSizeInformation, MS-FSCC 2.5.4.
                let units = u64_at(answer, 8)?;
                let unit_bytes = u64::from(u32_at(answer, 24)?) * u64::from(u32_at(answer, 28)?);
                Some(units.saturating_mul(unit_bytes))
            })
            .await?;
        // FileFsVolumeInformation, MS-FSCC 2.5.9.
        let volume = self
            .ask(&file, Query::Volume, |answer| u32_at(answer, 8))
            .await?;
        self.close_id(&file).await?;
        Ok(Space { volume, free_bytes })
    }

    async fn ask<T>(
        &mut self,
        file: &[u8; 16],
        class: Query,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, Fault> {
        let ask = Ask::new(Command::QueryInfo, self.tree(Share::Data).await?);
        self.connection
            .exchange(
                ask,
                |out| class.encode(out, file, 1024),
                |head, body| {
                    refuse(head, || "QUERY_INFO of the share".into())?;
                    class
                        .parse(body)
                        .and_then(read)
                        .ok_or_else(|| other_form(Command::QueryInfo))
                },
            )
            .await
    }
}
