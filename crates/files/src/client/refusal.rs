//! What failed calls mean.

use headcount_tree::program::answer::Answer;
use headcount_tree::session::backend::Refusal;
use rustix::io::Errno;

use crate::calls::Failed;
use crate::errno;

/// The refusal for a failed call.
pub(super) fn refusal(failed: Failed, path: &str) -> Refusal {
    let answer = match failed.errno {
        Errno::NOENT => Answer::Missing,
        Errno::EXIST => Answer::Exists,
        Errno::ACCESS | Errno::PERM | Errno::ROFS => Answer::Denied,
        Errno::BUSY | Errno::TXTBSY => Answer::InUse,
        Errno::ISDIR => Answer::Folder,
        Errno::NOTDIR => Answer::NoFolder,
        Errno::NOTEMPTY => Answer::NotEmpty,
        Errno::AGAIN => Answer::Locked,
        Errno::NAMETOOLONG => Answer::BadName,
        _ => Answer::Other,
    };
    let fault = errno::fault(failed, path);
    Refusal { answer, fault }
}
