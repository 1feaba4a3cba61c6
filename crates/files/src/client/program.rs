//! The operations of a program, each as system calls.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use headcount_load::{Fault, FaultKind, Moved, User};
use headcount_ring::Target;
use headcount_tree::parts::{Access, How};
use headcount_tree::program::Path;
use headcount_tree::program::answer::Answer;
use headcount_tree::program::operation::{Creation, Wanted as Kind};
use headcount_tree::program::player::{Actor, Player};
use headcount_tree::program::stage::{Check, Make, Refusal, Stage};
use headcount_tree::query::Query;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::native;
use super::open::Wanted;
use super::session::FilesSession;
use crate::calls::{Call, Calls, Failed, Lock, Made};
use crate::errno;
use crate::io::{Way, buffers};

/// Bytes of the largest read or write; larger ones of a program become several.
const CHUNK_BYTES: u32 = 1 << 20;

/// A file or folder that a program has open.
#[derive(Debug)]
pub struct OpenFile {
    file: Target,
    path: Arc<str>,
}

impl FilesSession {
    /// Plays the user's turn of the target's program.
    pub(super) async fn play_turn(&mut self, user: &User) -> Result<Moved, Fault> {
        let Some(program) = self.shared.program.as_ref().map(Arc::clone) else {
            let sentence = "\"turn\" plays a program, and this target has none";
            return Err(Fault::step(FaultKind::Refused, sentence));
        };
        let player = self.player.take();
        let mut player = player.unwrap_or_else(|| Box::new(Player::new(&program)));
        let actor = Actor {
            number: self.number,
            seed: self.shared.data_set.seed,
            verify: self.shared.verify,
        };
        let moved = player.play(self, &program, actor, user).await;
        self.player = Some(player);
        moved
    }

    /// A path below the folder of the target.
    fn below(&self, path: &Path) -> Arc<str> {
        let home = self.shared.folder.text(self.number);
        let folder = if path.is_common {
            home.rsplit_once('\\').map_or("", |(above, _)| above)
        } else {
            &home
        };
        let whole = match (folder, &*path.below) {
            ("", below) => below.to_owned(),
            (folder, "") => folder.to_owned(),
            (folder, below) => format!("{folder}\\{below}"),
        };
        native(&whole).into()
    }

    /// Makes calls about a name.
    async fn on_name<T: Send + 'static>(
        &self,
        path: &Path,
        job: impl FnOnce(&mut Calls<'_>, &str) -> Made<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let path = self.below(path);
        let asked = Arc::clone(&path);
        let made = self.attempt(move |calls| job(calls, &asked)).await?;
        made.map_err(|failed| refusal(failed, &path))
    }

    /// Makes calls about an open file.
    async fn on_file(
        &self,
        file: &OpenFile,
        job: impl FnOnce(&mut Calls<'_>, &File) -> Made<()> + Send + 'static,
    ) -> Result<(), Refusal> {
        let asked = file.file.clone();
        let made = self.attempt(move |calls| job(calls, asked.file())).await?;
        made.map_err(|failed| refusal(failed, &file.path))
    }
}

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the method itself is made for one lifetime, the closure for all"
)]
impl Stage for FilesSession {
    type File = OpenFile;

    async fn open(&mut self, path: &Path, creation: Creation) -> Result<OpenFile, Refusal> {
        let wanted = Wanted {
            is_folder: creation.kind == Kind::Folder,
            access: if creation.is_read_only {
                Access::Read
            } else {
                Access::ReadWrite
            },
            how: creation.how,
            mode: self.shared.mode,
        };
        let is_either = creation.kind == Kind::Either;
        let opened = self.on_name(path, move |calls, path| match wanted.open(calls, path) {
            Err(failed) if is_either && failed.errno == Errno::ISDIR => {
                let folder = Wanted {
                    is_folder: true,
                    how: How::Open,
                    ..wanted
                };
                folder.open(calls, path)
            }
            opened => opened,
        });
        let file = Target::open(File::from(opened.await?.file));
        let path = self.below(path);
        Ok(OpenFile { file, path })
    }

    async fn close(&mut self, file: OpenFile) -> Result<(), Refusal> {
        let closed = self.attempt(move |calls| {
            calls.tally.count(Call::Close);
            drop(file); // nobody else has it
            Ok(())
        });
        closed.await?.map_err(|failed| refusal(failed, ""))
    }

    async fn read(
        &mut self,
        file: &OpenFile,
        offset: u64,
        bytes: u32,
        check: &Check<'_>,
    ) -> Result<u32, Refusal> {
        let mut done = 0;
        loop {
            let (at, chunk) = (offset + u64::from(done), (bytes - done).min(CHUNK_BYTES));
            let buffer = buffers::take(chunk as usize)?;
            let named = (&file.file, &*file.path);
            let read = self.transfer(Way::Read, named, at, buffer, chunk as usize);
            let (came, buffer) = read.await?;
            check(at, &buffer[..came])?;
            buffers::give(buffer);
            done += came as u32;
            if (came as u32) < chunk || done == bytes {
                return Ok(done);
            }
        }
    }

    async fn write(
        &mut self,
        file: &OpenFile,
        offset: u64,
        bytes: u32,
        make: &Make<'_>,
    ) -> Result<(), Refusal> {
        let mut done = 0;
        while done < bytes {
            let (at, chunk) = (offset + u64::from(done), (bytes - done).min(CHUNK_BYTES));
            let mut buffer = buffers::take(chunk as usize)?;
            make(at, &mut buffer[..chunk as usize]);
            let named = (&file.file, &*file.path);
            self.write_all(named, at, buffer, chunk as usize).await?;
            done += chunk;
        }
        Ok(())
    }

    async fn flush(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        Ok(self.sync((&file.file, &file.path)).await?)
    }

    async fn query_path(&mut self, path: &Path, query: Query) -> Result<(), Refusal> {
        self.on_name(path, move |calls, path| calls.inspect(path, query))
            .await
    }

    async fn query_file(&mut self, file: &OpenFile, query: Query) -> Result<(), Refusal> {
        self.on_file(file, move |calls, file| calls.ask(query, file.as_fd()))
            .await
    }

    async fn query_fs(&mut self, query: Query) -> Result<(), Refusal> {
        let home = Path {
            below: "".into(),
            is_common: false,
        };
        self.query_path(&home, query).await
    }

    async fn set_file(&mut self, file: &OpenFile) -> Result<(), Refusal> {
        self.on_file(file, |calls, file| calls.touch(file)).await
    }

    /// A name without wildcards is looked up; for others the folder is listed to its end.
    async fn find(&mut self, folder: &Path, mask: &str) -> Result<(), Refusal> {
        let mask: Box<str> = mask.into();
        self.on_name(folder, move |calls, folder| {
            if !mask.contains(['*', '?', '<', '>', '"']) {
                let file = calls.open(&format!("{folder}/{mask}"), OFlags::PATH)?;
                calls.close(file);
                return Ok(());
            }
            let opened = calls.open(folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
            let names = calls.names(&opened);
            calls.close(opened);
            let found = names?.iter().any(|(name, _)| matches(&mask, name));
            found.then_some(()).ok_or(Failed {
                call: Call::List,
                errno: Errno::NOENT,
            })
        })
        .await
    }

    async fn unlink(&mut self, path: &Path) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink(path, false))
            .await
    }

    async fn rename(&mut self, path: &Path, to: &Path) -> Result<(), Refusal> {
        let to = self.below(to);
        self.on_name(path, move |calls, path| calls.rename(path, &to, false))
            .await
    }

    async fn mkdir(&mut self, path: &Path) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.make_folder(path))
            .await
    }

    async fn rmdir(&mut self, path: &Path) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink(path, true))
            .await
    }

    async fn delete_tree(&mut self, path: &Path) -> Result<(), Refusal> {
        self.on_name(path, |calls, path| calls.unlink_tree(path))
            .await
    }

    async fn lock(&mut self, file: &OpenFile, offset: u64, bytes: u64) -> Result<(), Refusal> {
        self.on_file(file, move |calls, file| {
            calls.lock(file, Lock::Exclusive, offset, bytes)
        })
        .await
    }

    async fn unlock(&mut self, file: &OpenFile, offset: u64, bytes: u64) -> Result<(), Refusal> {
        self.on_file(file, move |calls, file| {
            calls.lock(file, Lock::None, offset, bytes)
        })
        .await
    }
}

/// Whether a name is like this: `*` stands for any characters, `?` for one; `<`, `>` and `"` are what
/// Windows makes of `*`, `?` and `.` in old masks (MS-FSA 2.1.4.4, without its rules for the ends of
/// names), and `*.*` stands for everything.
fn matches(mask: &str, name: &str) -> bool {
    fn rest(mask: &[u8], name: &[u8]) -> bool {
        match (mask.split_first(), name.split_first()) {
            (None, None) => true,
            (Some((b'*' | b'<', after)), _) => {
                rest(after, name) || name.split_first().is_some_and(|(_, left)| rest(mask, left))
            }
            (Some((b'?' | b'>', after)), Some((_, left)))
            | (Some((b'"', after)), Some((b'.', left))) => rest(after, left),
            (Some((one, after)), Some((other, left))) => one == other && rest(after, left),
            _ => false,
        }
    }
    mask == "*.*" || rest(mask.as_bytes(), name.as_bytes())
}

/// What a failed call means to a program.
fn refusal(failed: Failed, path: &str) -> Refusal {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_find_the_names_they_should() {
        for (mask, name, is_like) in [
            ("*", "anything.txt", true),
            ("*.*", "no dot", true),
            ("*.doc", "a.doc", true),
            ("*.doc", "a.docx", false),
            ("a?c.*", "abc.d.e", true),
            ("a?c", "ac", false),
            ("<.>oc", "letter.doc", true),
            ("a\"b", "a.b", true),
            ("a\"b", "axb", false),
            ("", "", true),
        ] {
            assert_eq!(matches(mask, name), is_like, "{mask} {name}");
        }
    }
}
