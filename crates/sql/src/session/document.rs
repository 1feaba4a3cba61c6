//! Documents: reading, adding, changing and deleting them, and the list of unread ones.

use std::collections::BTreeSet;

use headcount_load::{Fault, FaultKind, Moved, User};

use super::query::Query;
use super::{Shared, SqlSession, received, wrong};
use crate::data_set::DataSet;
use crate::parameter::Parameter::{Int4, Int8, Int8s, Text};
use crate::row::Row;
use crate::text::{is_words, words};

impl SqlSession {
    /// Sets the user's unread list to this many random documents.
    pub(super) async fn set_unread(
        &mut self,
        documents: u32,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let prepared = self.shared.data_set.documents;
        let mut near = BTreeSet::new();
        let mut drawn = Vec::new();
        while (drawn.len() as u32) < documents.min(prepared) {
            let id = self.draw(user);
            if near.insert(id) {
                drawn.push(id);
            }
        }
        let parameters = [Int4(self.number), Int8s(&drawn)];
        let rows = self
            .ask(Query::SetUnread, &parameters, |_, _| Ok(()))
            .await?;
        if rows.count != drawn.len() as u64 {
            return Err(none("there is no document that could be unread"));
        }
        Ok(Moved {
            read_bytes: 0,
            written_bytes: 8 * drawn.len() as u64,
        })
    }

    /// Reads the next document of the list, and marks it as read.
    pub(super) async fn read_unread(&mut self) -> Result<Moved, Fault> {
        let parameters = [Int4(self.number)];
        let rows = self
            .ask(Query::ReadUnread, &parameters, |shared, row| {
                let id = row.read()?;
                check_document(shared, id, row)
            })
            .await?;
        if rows.count == 0 {
            return Err(none(
                "the user has no unread document: a step set-unread must come first",
            ));
        }
        Ok(received(rows))
    }

    /// Reads a random document.
    pub(super) async fn read_document(&mut self, user: &mut User) -> Result<Moved, Fault> {
        let near = self.draw(user);
        let rows = self
            .ask(Query::ReadDocument, &[Int8(near)], |shared, row| {
                let id: i64 = row.read()?;
                if id < near {
                    return Err(wrong(format!(
                        "document {near} or a later one was asked for, but {id} came"
                    )));
                }
                check_document(shared, id, row)
            })
            .await?;
        if rows.count == 0 {
            return Err(none("the document was deleted, and all later ones with it"));
        }
        Ok(received(rows))
    }

    /// Adds a main topic.
    pub(super) async fn add_document(
        &mut self,
        bytes: u32,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let set = &self.shared.data_set;
        let category = user.stream().below(set.categories.into()) as i32;
        let (author, stamp) = (self.number, stamp(user));
        let subject = format!("u{author} {stamp:016x}");
        let body = words(set.body_key(author, stamp), bytes as usize);
        let parameters = [
            Int4(category),
            Int4(author),
            Int8(stamp),
            Text(&subject),
            Text(&body),
        ];
        let rows = self
            .ask(Query::Add, &parameters, |_, row| {
                check_written(author, stamp, row)
            })
            .await?;
        check_one(rows.count)?;
        Ok(Moved {
            read_bytes: 0,
            written_bytes: (subject.len() + body.len()) as u64,
        })
    }

    /// Gives a random document another body.
    pub(super) async fn update_document(
        &mut self,
        bytes: u32,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let near = self.draw(user);
        let (editor, stamp) = (self.number, stamp(user));
        let body = words(self.shared.data_set.body_key(editor, stamp), bytes as usize);
        let parameters = [Int8(near), Int4(editor), Int8(stamp), Text(&body)];
        let rows = self
            .ask(Query::Update, &parameters, |_, row| {
                check_written(editor, stamp, row)
            })
            .await?;
        if rows.count == 0 {
            return Err(none("the document was deleted by another user meanwhile"));
        }
        check_one(rows.count)?;
        Ok(Moved {
            read_bytes: 0,
            written_bytes: body.len() as u64,
        })
    }

    /// Deletes the user's `documents` oldest documents, or all if there are fewer.
    pub(super) async fn delete_oldest(&mut self, documents: i64) -> Result<Moved, Fault> {
        let author = self.number;
        let parameters = [Int4(author), Int8(documents)];
        self.ask(Query::DeleteOldest, &parameters, |_, row| {
            let (id, whose): (i64, i32) = (row.read()?, row.read()?);
            if whose == author {
                return Ok(());
            }
            Err(wrong(format!(
                "document {id} was deleted, which belongs to another user"
            )))
        })
        .await?;
        Ok(Moved::default())
    }

    /// The number of a random document of the prepared ones.
    fn draw(&self, user: &mut User) -> i64 {
        let prepared = u64::from(self.shared.data_set.documents);
        user.stream().below(prepared).cast_signed() + 1
    }
}

/// Checks that the server reports one written row.
fn check_one(rows: u64) -> Result<(), Fault> {
    if rows == 1 {
        return Ok(());
    }
    Err(wrong(format!(
        "one document was written, but the server reports {rows}"
    )))
}

/// Checks the row that the server reports as written.
fn check_written(editor: i32, stamp: i64, row: &mut Row<'_>) -> Result<(), Fault> {
    let (id, whose, which): (i64, i32, i64) = (row.read()?, row.read()?, row.read()?);
    if (whose, which) == (editor, stamp) {
        return Ok(());
    }
    Err(wrong(format!(
        "document {id} was written, but now belongs to another"
    )))
}

/// Checks that the columns of a document are consistent, and that its body is what its editor
/// wrote. The first column, its number, has been read.
fn check_document(shared: &Shared, id: i64, row: &mut Row<'_>) -> Result<(), Fault> {
    if !shared.verify {
        return Ok(());
    }
    let set = &shared.data_set;
    let (topic, category, author): (i64, i32, i32) = (row.read()?, row.read()?, row.read()?);
    let (editor, stamp, revision): (i32, i64, i32) = (row.read()?, row.read()?, row.read()?);
    let (subject, body): (&str, &str) = (row.read()?, row.read()?);
    let is_same = if id > i64::from(set.documents) {
        topic == id && subject.starts_with(&format!("u{author} "))
    } else {
        let stored = set.document(id);
        let is_first = (editor, stamp) == (author, DataSet::stamp(id))
            && body.len() == set.body_bytes as usize;
        (topic, category, author) == (stored.topic, stored.category, stored.author)
            && subject == stored.subject
            && (revision > 0 || is_first)
    };
    if is_same && is_words(set.body_key(editor, stamp), body) {
        return Ok(());
    }
    let what = if is_same { "body" } else { "head" };
    Err(wrong(format!(
        "the {what} of document {id} (revision {revision}) is not what was stored"
    )))
}

/// Distinguishes an editor's bodies from each other; those of prepared documents are below 0.
fn stamp(user: &mut User) -> i64 {
    (user.stream().bits() >> 1).cast_signed()
}

fn none(sentence: &str) -> Fault {
    Fault::step(FaultKind::Refused, sentence)
}
