//! Documents: reading, adding, changing and deleting them, and the list of unread ones.

use std::collections::BTreeSet;

use headcount_load::{Fault, FaultKind, Moved, User};
use tokio_postgres::Row;

use super::query::Query;
use super::{SqlSession, get, received, wrong};
use crate::data_set::DataSet;
use crate::text::{is_words, words};

impl SqlSession {
    /// The user's unread list becomes so many random documents.
    pub(super) async fn set_unread(
        &mut self,
        documents: u32,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let there = self.shared.data_set.documents;
        let mut near = BTreeSet::new();
        let mut drawn = Vec::new();
        while (drawn.len() as u32) < documents.min(there) {
            let id = self.draw(user);
            if near.insert(id) {
                drawn.push(id);
            }
        }
        let rows = self
            .ask(Query::SetUnread, &[&self.number.clone(), &drawn])
            .await?;
        if rows.len() != drawn.len() {
            return Err(none("there is no document that could be unread"));
        }
        Ok(Moved {
            read_bytes: 0,
            written_bytes: 8 * drawn.len() as u64,
        })
    }

    /// Reads the next document of the list, and marks it as read.
    pub(super) async fn read_unread(&mut self) -> Result<Moved, Fault> {
        let rows = self.ask(Query::ReadUnread, &[&self.number.clone()]).await?;
        let Some(row) = rows.first() else {
            return Err(none(
                "the user has no unread document: a step set-unread must come before",
            ));
        };
        self.check_document(row)?;
        Ok(received(&rows))
    }

    /// Reads a random document.
    pub(super) async fn read_document(&mut self, user: &mut User) -> Result<Moved, Fault> {
        let near = self.draw(user);
        let rows = self.ask(Query::ReadDocument, &[&near]).await?;
        if let Some(row) = rows.first() {
            let id: i64 = get(row, 0)?;
            if id < near {
                return Err(wrong(format!(
                    "document {near} or one after it was asked for, and {id} came"
                )));
            }
            self.check_document(row)?;
        }
        Ok(received(&rows))
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
        let rows = self
            .ask(Query::Add, &[&category, &author, &stamp, &subject, &body])
            .await?;
        self.check_written(&rows, stamp)?;
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
        let rows = self
            .ask(Query::Update, &[&near, &editor, &stamp, &body])
            .await?;
        if rows.is_empty() {
            return Err(none("the document was deleted by another user meanwhile"));
        }
        self.check_written(&rows, stamp)?;
        Ok(Moved {
            read_bytes: 0,
            written_bytes: body.len() as u64,
        })
    }

    /// Deletes the user's oldest documents. One who has fewer loses those.
    pub(super) async fn delete_oldest(&mut self, documents: i64) -> Result<Moved, Fault> {
        let author = self.number;
        let rows = self
            .ask(Query::DeleteOldest, &[&author, &documents])
            .await?;
        for row in &rows {
            if get::<i32>(row, 1)? != author {
                let id: i64 = get(row, 0)?;
                return Err(wrong(format!(
                    "document {id} was deleted, which is another's"
                )));
            }
        }
        Ok(Moved::default())
    }

    /// The number of a random document of the prepared ones.
    fn draw(&self, user: &mut User) -> i64 {
        let there = u64::from(self.shared.data_set.documents);
        user.stream().below(there).cast_signed() + 1
    }

    /// The row that was written, as the server reports it.
    fn check_written(&self, rows: &[Row], stamp: i64) -> Result<(), Fault> {
        let [row] = rows else {
            let sentence = format!(
                "one document was written, but the server reports {}",
                rows.len()
            );
            return Err(wrong(sentence));
        };
        if get::<i32>(row, 1)? == self.number && get::<i64>(row, 2)? == stamp {
            return Ok(());
        }
        let id: i64 = get(row, 0)?;
        Err(wrong(format!(
            "document {id} was written, but now belongs to another"
        )))
    }

    /// The columns of a document belong to each other, and its body is what its editor wrote.
    fn check_document(&self, row: &Row) -> Result<(), Fault> {
        if !self.shared.verify {
            return Ok(());
        }
        let set = &self.shared.data_set;
        let id: i64 = get(row, 0)?;
        let (topic, category, author): (i64, i32, i32) = (get(row, 1)?, get(row, 2)?, get(row, 3)?);
        let (editor, stamp, revision): (i32, i64, i32) = (get(row, 4)?, get(row, 5)?, get(row, 6)?);
        let (subject, body): (&str, &str) = (get(row, 7)?, get(row, 8)?);
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
}

/// What tells one body of an editor from the others; below 0 are those of prepared documents.
fn stamp(user: &mut User) -> i64 {
    (user.stream().bits() >> 1).cast_signed()
}

fn none(sentence: &str) -> Fault {
    Fault::step(FaultKind::Refused, sentence)
}
