//! Names, CREATE and CLOSE.

use std::fmt;

use headcount_load::{Fault, FaultKind, User};
use headcount_tree::data_set::Place;
use headcount_tree::parts::{Access, How, Name, Open, OplockWish, Share};

use super::Shared;
use super::inspect::is_there;
use super::session::{Handle, SmbSession, other_form, refuse};
use crate::connection::Ask;
use crate::random;
use crate::wire::create::{
    DIRECTORY, Disposition, NOT_DIRECTORY, Opened, Oplock, Request, SHARE_ALL, access, encode_close,
};
use crate::wire::header::Command;

impl SmbSession {
    /// The place that a name means, and its path below the share.
    pub(super) fn resolve(
        &self,
        name: &Name,
        slot: u8,
        user: &mut User,
    ) -> Result<(Place, String), Fault> {
        let drawn = name
            .draw(&self.shared.data_set, user.stream())
            .map_err(|sentence| Fault::step(FaultKind::Refused, sentence))?;
        let place = match drawn {
            Some(place) => place,
            None => self.last[usize::from(name.of.unwrap_or(slot))].ok_or_else(|| {
                let sentence = "\"same\" means the name last opened in this slot; none was";
                Fault::step(FaultKind::Refused, sentence)
            })?,
        };
        Ok((place, self.path(place, &name.before, &name.after)))
    }

    /// The path of a place below the share.
    pub(super) fn path(&self, place: Place, before: &str, after: &str) -> String {
        let home = self.shared.folder.text(self.number);
        let path = self.shared.data_set.path(&home, place);
        if before.is_empty() && after.is_empty() {
            return path;
        }
        match path.rsplit_once('\\') {
            Some((folder, last)) => format!("{folder}\\{before}{last}{after}"),
            None => format!("{before}{path}{after}"),
        }
    }

    /// The handle in a slot.
    pub(super) fn handle(&self, slot: u8) -> Result<Handle, Fault> {
        self.handles[usize::from(slot)].ok_or_else(|| {
            let sentence = format!("slot {slot} holds no open file: open one before");
            Fault::step(FaultKind::Refused, sentence)
        })
    }

    pub(super) async fn open_file(&mut self, open: &Open, user: &mut User) -> Result<(), Fault> {
        let slot = usize::from(open.slot);
        let (place, path) = self.resolve(&open.path, open.slot, user)?;
        if self.handles[slot].is_some() {
            self.close_slot(open.slot).await?; // left by a scenario that failed in the middle
        }
        self.last[slot] = Some(place);
        let is_folder = open.folder || place.group.is_folder();
        let request = Request {
            path: &path,
            access: rights(open.access),
            share: if open.alone { 0 } else { SHARE_ALL },
            disposition: disposition(open.how),
            options: if is_folder { DIRECTORY } else { NOT_DIRECTORY },
            oplock: oplock(open.oplock)?,
        };
        let opened = self.create(&request).await?;
        if let 8 | 9 = opened.oplock {
            self.connection.state.kept.push(opened.file);
        }
        self.handles[slot] = Some(Handle {
            file: opened.file,
            place,
            position: 0,
            end_of_file: opened.end_of_file,
        });
        Ok(())
    }

    pub(super) async fn create(&mut self, request: &Request<'_>) -> Result<Opened, Fault> {
        let ask = Ask::new(Command::Create, self.tree(Share::Data).await?);
        self.connection
            .exchange(
                ask,
                |out| request.encode(out),
                |head, body| {
                    refuse(head, || format!("CREATE \"{}\"", request.path))?;
                    Opened::parse(body).ok_or_else(|| other_form(Command::Create))
                },
            )
            .await
    }

    pub(super) async fn probe(&mut self, name: &Name, user: &mut User) -> Result<(), Fault> {
        let (_, path) = self.resolve(name, 0, user)?;
        let request = Request {
            path: &path,
            access: access::READ_ATTRIBUTES,
            share: SHARE_ALL,
            disposition: Disposition::Open,
            options: 0,
            oplock: Oplock::None,
        };
        let ask = Ask::new(Command::Create, self.tree(Share::Data).await?);
        let found = self
            .connection
            .exchange(
                ask,
                |out| request.encode(out),
                |head, body| {
                    if head.status.is_not_found() {
                        return Ok(None);
                    }
                    refuse(head, || format!("CREATE \"{path}\""))?;
                    Opened::parse(body)
                        .map(Some)
                        .ok_or_else(|| other_form(Command::Create))
                },
            )
            .await?;
        let Some(opened) = found else {
            return Ok(());
        };
        self.close_file(&opened.file).await?;
        Err(is_there(&path))
    }

    pub(super) async fn close_slot(&mut self, slot: u8) -> Result<(), Fault> {
        let handle = self.handle(slot)?;
        self.handles[usize::from(slot)] = None;
        self.connection
            .state
            .kept
            .retain(|kept| *kept != handle.file);
        self.close_file(&handle.file).await
    }

    pub(super) async fn close_file(&mut self, file: &[u8; 16]) -> Result<(), Fault> {
        let ask = Ask::new(Command::Close, self.tree(Share::Data).await?);
        self.connection
            .exchange(
                ask,
                |out| encode_close(out, file),
                |head, _| refuse(head, || "CLOSE".into()),
            )
            .await
    }
}

/// What a file is called in messages: its path, made only where there is a message.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    shared: &'a Shared,
    number: u32,
    place: Place,
}

impl<'a> Called<'a> {
    pub(super) const fn new(shared: &'a Shared, number: u32, handle: &Handle) -> Self {
        Self {
            shared,
            number,
            place: handle.place,
        }
    }
}

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let home = self.shared.folder.text(self.number);
        f.write_str(&self.shared.data_set.path(&home, self.place))
    }
}

const fn rights(of: Access) -> u32 {
    match of {
        Access::Read => access::READ,
        Access::Write => access::WRITE,
        Access::ReadWrite => access::READ | access::WRITE,
        Access::All => access::READ | access::WRITE | access::DELETE,
        Access::Delete => access::DELETE | access::READ_ATTRIBUTES,
        Access::Attributes => access::READ_ATTRIBUTES,
    }
}

pub(super) const fn disposition(how: How) -> Disposition {
    match how {
        How::Open => Disposition::Open,
        How::Create => Disposition::Create,
        How::OpenOrCreate => Disposition::OpenIf,
        How::EmptyOrCreate => Disposition::OverwriteIf,
        How::ReplaceOrCreate => Disposition::Supersede,
        How::Empty => Disposition::Overwrite,
    }
}

fn oplock(wish: OplockWish) -> Result<Oplock, Fault> {
    Ok(match wish {
        OplockWish::None => Oplock::None,
        OplockWish::Shared => Oplock::Level(1),
        OplockWish::Exclusive => Oplock::Level(8),
        OplockWish::Batch => Oplock::Level(9),
        OplockWish::Lease => Oplock::Lease(random::bytes()?),
    })
}
