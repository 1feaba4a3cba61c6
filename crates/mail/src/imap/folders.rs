//! Mailboxes: selects, lists, creates and deletes them, and reads their status and quota.

use headcount_load::Fault;

use super::capability::Capability;
use super::connection::{Imap, once};
use super::faults::refused;
use super::line::Line;
use super::name;
use super::session::Heard;
use super::wire::answer::{Answer, State, each_pair};
use super::wire::reader::MOST_SEARCH_BYTES;
use crate::task::Task;

/// Most bytes of the answers to one LIST or GETQUOTAROOT, so that a wrong server cannot use up
/// memory: as many as of a search.
const MOST_BYTES: usize = MOST_SEARCH_BYTES;

/// The folder that every mailbox has (RFC 9051, 5.1).
pub const INBOX: &str = "INBOX";

/// The state of a mailbox when selected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Selected {
    /// The number of messages.
    pub exists: u32,
    /// The UID that the next message will have; 0 if the server does not say.
    pub uid_next: u32,
    /// If this changes, all earlier UIDs are invalid.
    pub uid_validity: u32,
    /// Whether nothing can be changed.
    pub read_only: bool,
}

/// A mailbox in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Its name.
    pub name: String,
    /// Its attributes, such as `\HasNoChildren` and `\Sent`, separated by spaces.
    pub attributes: String,
    /// What separates the levels of names.
    pub delimiter: Option<char>,
}

impl Folder {
    /// Whether it has this attribute.
    #[must_use]
    pub fn is(&self, attribute: &str) -> bool {
        self.attributes
            .split(' ')
            .any(|word| word.eq_ignore_ascii_case(attribute))
    }

    /// Whether it can be selected. `\NonExistent` implies `\Noselect` (RFC 9051, 7.3.1).
    #[must_use]
    pub fn is_selectable(&self) -> bool {
        !self.is("\\Noselect") && !self.is("\\NonExistent")
    }
}

/// The status of a mailbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// The number of messages.
    pub messages: u32,
    /// The UID that the next one will have.
    pub uid_next: u32,
    /// Messages without `\Seen`.
    pub unseen: u32,
}

/// A quota root's limit of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// The resource, such as `STORAGE` (in units of 1,024 octets) or `MESSAGE`.
    pub resource: String,
    /// How much is in use.
    pub used: u64,
    /// The limit.
    pub limit: u64,
}

impl Imap {
    /// Selects a mailbox.
    pub async fn select(&mut self, folder: &str) -> Result<Selected, Fault> {
        self.state.exists = 0;
        let mut selected = Selected::default();
        let mut note = |state: &State<'_>| {
            if let Some(next) = state.number("UIDNEXT") {
                selected.uid_next = next;
            }
            if let Some(validity) = state.number("UIDVALIDITY") {
                selected.uid_validity = validity;
            }
            selected.read_only |= state.code("READ-ONLY").is_some();
        };
        let mut compose = |line: &mut Line<'_>| {
            line.raw("SELECT ").name(folder);
        };
        let mut fill = once(&mut compose);
        self.command(Task::Select, &mut fill, &mut |heard| {
            if let Heard::Answer(Answer::State(state) | Answer::Done(_, state), _) = heard {
                note(state);
            }
            Ok(())
        })
        .await?;
        Ok(Selected {
            exists: self.state.exists,
            ..selected
        })
    }

    /// Leaves the mailbox without removing anything (RFC 3691).
    pub async fn unselect(&mut self) -> Result<(), Fault> {
        if !self.offers(Capability::Unselect) {
            return Err(refused("the server does not offer UNSELECT"));
        }
        self.simple(Task::Unselect, &mut |line| {
            line.raw("UNSELECT");
        })
        .await?;
        self.state.exists = 0;
        Ok(())
    }

    /// Lists mailboxes, such as with the reference `""` and the pattern `*`. The inbox is always
    /// called [`INBOX`].
    pub async fn list(&mut self, reference: &str, pattern: &str) -> Result<Vec<Folder>, Fault> {
        let (mut folders, mut bytes) = (Vec::new(), 0);
        let mut compose = |line: &mut Line<'_>| {
            line.raw("LIST ").name(reference).raw(" ").name(pattern);
        };
        let mut fill = once(&mut compose);
        let is_rev2 = self.state.is_rev2;
        self.command(Task::List, &mut fill, &mut |heard| {
            if let Heard::Answer(Answer::List(listed), text) = heard {
                bytes += text.len();
                if bytes > MOST_BYTES {
                    return Err("a shorter list of mailboxes");
                }
                // Its case makes no difference (RFC 9051, 5.1).
                let name = if listed.name.eq_ignore_ascii_case(INBOX.as_bytes()) {
                    INBOX.to_owned()
                } else if is_rev2 {
                    String::from_utf8_lossy(&listed.name).into_owned()
                } else {
                    name::decode(&listed.name)
                };
                folders.push(Folder {
                    name,
                    attributes: String::from_utf8_lossy(listed.attributes).into_owned(),
                    delimiter: listed.delimiter.map(char::from),
                });
            }
            Ok(())
        })
        .await?;
        Ok(folders)
    }

    /// Creates a mailbox.
    pub async fn create(&mut self, folder: &str) -> Result<(), Fault> {
        self.simple(Task::Create, &mut |line| {
            line.raw("CREATE ").name(folder);
        })
        .await
    }

    /// Deletes a mailbox with all its messages. Timed as `CREATE`, since it is only part of
    /// preparing and cleaning up.
    pub async fn remove(&mut self, folder: &str) -> Result<(), Fault> {
        self.simple(Task::Create, &mut |line| {
            line.raw("DELETE ").name(folder);
        })
        .await
    }

    /// Asks for the status of a mailbox that is not selected.
    pub async fn status(&mut self, folder: &str) -> Result<Status, Fault> {
        let mut status = Status::default();
        let mut compose = |line: &mut Line<'_>| {
            line.raw("STATUS ")
                .name(folder)
                .raw(" (MESSAGES UIDNEXT UNSEEN)");
        };
        let mut fill = once(&mut compose);
        self.command(Task::Status, &mut fill, &mut |heard| {
            let Heard::Answer(Answer::Status(_, pairs), _) = heard else {
                return Ok(());
            };
            each_pair(*pairs, &mut |word, number| {
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                match word.to_ascii_uppercase().as_slice() {
                    b"MESSAGES" => status.messages = number,
                    b"UIDNEXT" => status.uid_next = number,
                    b"UNSEEN" => status.unseen = number,
                    _ => {}
                }
            })
        })
        .await?;
        Ok(status)
    }

    /// Asks for the namespaces (RFC 2342). Returns the prefix of the user's personal one.
    pub async fn namespace(&mut self) -> Result<String, Fault> {
        let mut prefix = String::new();
        let mut compose = |line: &mut Line<'_>| {
            line.raw("NAMESPACE");
        };
        let mut fill = once(&mut compose);
        self.command(Task::Namespace, &mut fill, &mut |heard| {
            if let Heard::Answer(Answer::Namespace(cursor), _) = heard {
                let mut cursor = *cursor;
                if !cursor.take_nil() {
                    cursor.expect(b'(')?;
                    cursor.expect(b'(')?;
                    prefix = name::decode(&cursor.string()?);
                }
            }
            Ok(())
        })
        .await?;
        Ok(prefix)
    }

    /// Asks for the quotas of a mailbox (RFC 9208).
    pub async fn quota_root(&mut self, folder: &str) -> Result<Vec<Quota>, Fault> {
        let (mut quotas, mut bytes) = (Vec::new(), 0);
        let mut compose = |line: &mut Line<'_>| {
            line.raw("GETQUOTAROOT ").name(folder);
        };
        let mut fill = once(&mut compose);
        self.command(Task::Quota, &mut fill, &mut |heard| {
            let Heard::Answer(Answer::Quota(cursor), text) = heard else {
                return Ok(());
            };
            bytes += text.len();
            if bytes > MOST_BYTES {
                return Err("fewer quotas");
            }
            let mut cursor = *cursor;
            cursor.astring()?;
            cursor.expect(b' ')?;
            cursor.expect(b'(')?;
            while !cursor.take(b')') {
                let resource = String::from_utf8_lossy(cursor.atom()?).into_owned();
                cursor.expect(b' ')?;
                let used = cursor.number64()?;
                cursor.expect(b' ')?;
                quotas.push(Quota {
                    resource,
                    used,
                    limit: cursor.number64()?,
                });
                cursor.take(b' ');
            }
            Ok(())
        })
        .await?;
        Ok(quotas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_do_not_exist_cannot_be_selected() {
        let is_selectable = |attributes: &str| {
            let folder = Folder {
                name: "Projects".into(),
                attributes: attributes.into(),
                delimiter: Some('/'),
            };
            folder.is_selectable()
        };
        assert!(is_selectable("") && is_selectable("\\HasChildren"));
        assert!(!is_selectable("\\HasChildren \\NoSelect"));
        assert!(!is_selectable("\\NonExistent \\HasChildren"));
    }
}
