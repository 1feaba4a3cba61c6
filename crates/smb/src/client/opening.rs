//! How a user opens a file or folder, as a CREATE request.

use headcount_load::Fault;
use headcount_tree::parts::{Access, How, OplockWish};
use headcount_tree::program::operation::Wanted;
use headcount_tree::session::backend::Opening;

use crate::random;
use crate::wire::create::{
    DIRECTORY, Disposition, NOT_DIRECTORY, Oplock, Request, SHARE_ALL, access,
};

/// The request that opens `path` this way. Fails if the system has no random bytes for a lease key.
pub(super) fn request(path: &str, opening: Opening) -> Result<Request<'_>, Fault> {
    Ok(Request {
        path,
        access: rights(opening.access),
        share: if opening.is_alone { 0 } else { SHARE_ALL },
        disposition: disposition(opening.how),
        options: match opening.kind {
            Wanted::File => NOT_DIRECTORY,
            Wanted::Folder => DIRECTORY,
            Wanted::Either => 0,
        },
        oplock: oplock(opening.oplock)?,
        durable: None,
    })
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

const fn disposition(how: How) -> Disposition {
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
