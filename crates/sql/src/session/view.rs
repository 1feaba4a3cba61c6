//! The view: documents by category and thread.

use headcount_load::{Fault, FaultKind, Moved};

use super::query::Query;
use super::{Key, Shared, SqlSession, received, wrong};
use crate::parameter::Parameter::{Int4, Int8};
use crate::row::Row;
use crate::step::{From, Place};

impl SqlSession {
    /// The categories with the number of documents in each.
    pub(super) async fn open_view(&mut self) -> Result<Moved, Fault> {
        let mut before = -1;
        let rows = self
            .ask(Query::Categories, &[], |shared, row| {
                if !shared.verify {
                    return Ok(());
                }
                let categories = shared.data_set.categories;
                let (category, count): (i32, i64) = (row.read()?, row.read()?);
                if category <= before || category.cast_unsigned() >= categories || count < 1 {
                    return Err(wrong(format!(
                        "the view lists category {category} with {count} documents after category \
                         {before}, and there are {categories}"
                    )));
                }
                before = category;
                Ok(())
            })
            .await?;
        self.last = None;
        if rows.count == 0 {
            return Err(empty());
        }
        Ok(received(rows))
    }

    /// A page of entries.
    pub(super) async fn read_view(&mut self, from: From, entries: i64) -> Result<Moved, Fault> {
        let after = match from {
            From::Key(Place::Next) => self.last,
            _ => None,
        };
        let mut last = after;
        let each = |shared: &Shared, row: &mut Row<'_>| {
            last = Some(entry(shared, row, last)?);
            Ok(())
        };
        let rows = match (from, after) {
            (From::Number(number), _) => {
                let skipped = i64::from(number) - 1;
                let parameters = [Int8(entries), Int8(skipped)];
                self.ask(Query::OffsetPage, &parameters, each).await?
            }
            (From::Key(_), Some((category, topic, id))) => {
                let parameters = [Int8(entries), Int4(category), Int8(topic), Int8(id)];
                self.ask(Query::NextPage, &parameters, each).await?
            }
            (From::Key(_), None) => self.ask(Query::FirstPage, &[Int8(entries)], each).await?,
        };
        if rows.count > entries.cast_unsigned() {
            let sentence = format!("a page of {entries} entries has {}", rows.count);
            return Err(wrong(sentence));
        }
        if rows.count == 0 && from == From::Key(Place::First) {
            return Err(empty());
        }
        // After the end of the view, the next page is the first.
        self.last = if rows.count == 0 { None } else { last };
        Ok(received(rows))
    }
}

fn empty() -> Fault {
    let sentence = "there is no document in the view: prepare the data set";
    Fault::step(FaultKind::Refused, sentence)
}

/// The key of an entry. A fault if it does not follow `before`, or is not what was stored.
fn entry(shared: &Shared, row: &mut Row<'_>, before: Option<Key>) -> Result<Key, Fault> {
    let key: Key = (row.read()?, row.read()?, row.read()?);
    if !shared.verify {
        return Ok(key);
    }
    if before.is_some_and(|before| before >= key) {
        return Err(wrong(format!(
            "the view has entry {key:?} after {before:?} (category, topic, document)"
        )));
    }
    let (author, subject, created_s): (i32, &str, i64) = (row.read()?, row.read()?, row.read()?);
    let (category, topic, id) = key;
    let set = &shared.data_set;
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
