//! The view: documents by category and thread.

use headcount_load::{Fault, FaultKind, Moved};
use tokio_postgres::Row;

use super::query::Query;
use super::{Key, SqlSession, get, received, wrong};
use crate::step::{From, Place};

impl SqlSession {
    /// The categories with the number of documents in each.
    pub(super) async fn open_view(&mut self) -> Result<Moved, Fault> {
        let rows = self.ask(Query::Categories, &[]).await?;
        self.last = None;
        if self.shared.verify {
            let categories = self.shared.data_set.categories;
            let mut before = -1;
            for row in &rows {
                let (category, count): (i32, i64) = (get(row, 0)?, get(row, 1)?);
                if category <= before || category.cast_unsigned() >= categories || count < 1 {
                    return Err(wrong(format!(
                        "the view lists category {category} with {count} documents after category \
                         {before}, and there are {categories}"
                    )));
                }
                before = category;
            }
        }
        Ok(received(&rows))
    }

    /// A page of entries.
    pub(super) async fn read_view(&mut self, from: From, entries: i64) -> Result<Moved, Fault> {
        let after = match from {
            From::Key(Place::Next) => self.last,
            _ => None,
        };
        let rows = match (from, after) {
            (From::Number(number), _) => {
                let skipped = i64::from(number) - 1;
                self.ask(Query::OffsetPage, &[&entries, &skipped]).await?
            }
            (From::Key(_), Some((category, topic, id))) => {
                let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
                    [&entries, &category, &topic, &id];
                self.ask(Query::NextPage, &parameters).await?
            }
            (From::Key(_), None) => self.ask(Query::FirstPage, &[&entries]).await?,
        };
        if i64::try_from(rows.len()).unwrap_or(i64::MAX) > entries {
            let sentence = format!("a page of {entries} entries has {}", rows.len());
            return Err(wrong(sentence));
        }
        let mut last = after;
        for row in &rows {
            last = Some(self.entry(row, last)?);
        }
        if rows.is_empty() && from == From::Key(Place::First) {
            return Err(Fault::step(
                FaultKind::Refused,
                "there is no document in the view: prepare the data set",
            ));
        }
        // After the end of the view the next page is the first.
        self.last = if rows.is_empty() { None } else { last };
        Ok(received(&rows))
    }

    /// The key of an entry, which must come after the one before and say what was stored.
    fn entry(&self, row: &Row, before: Option<Key>) -> Result<Key, Fault> {
        let key: Key = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
        if !self.shared.verify {
            return Ok(key);
        }
        if before.is_some_and(|before| before >= key) {
            return Err(wrong(format!(
                "the view has entry {key:?} after {before:?} (category, topic, document)"
            )));
        }
        let (author, subject, created_s): (i32, &str, i64) =
            (get(row, 3)?, get(row, 4)?, get(row, 5)?);
        let (category, topic, id) = key;
        let set = &self.shared.data_set;
        if id > i64::from(set.documents) {
            return Ok(key); // a run added it
        }
        let stored = set.document(id);
        let same = (category, topic, author, created_s)
            == (
                stored.category,
                stored.topic,
                stored.author,
                stored.created_s,
            );
        if same && subject == stored.subject {
            Ok(key)
        } else {
            Err(wrong(format!(
                "the view's entry of document {id} is not the one that was stored"
            )))
        }
    }
}
