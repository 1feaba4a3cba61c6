//! Rows in chunks: checking whether they are right, and re-creating them.

use headcount_load::Fault;

use super::question::{Question, execute};
use crate::checksum::{self, Sum};
use crate::data_set::{DataSet, moment};
use crate::parameter::Parameter::Int8;
use crate::wire::Wire;

/// Rows that are checked, and made, at a time: a failure never loses, or wastes, more than this.
pub const CHUNK: i64 = 1_000;

/// A table whose rows are prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The directory.
    People,
    /// The discussion.
    Documents,
}

impl Table {
    /// The numbers of its first and last row.
    pub fn bounds(self, set: &DataSet) -> (i64, i64) {
        match self {
            Self::People => (0, i64::from(set.people) - 1),
            Self::Documents => (1, i64::from(set.documents)),
        }
    }

    /// The checksum of its rows as they are prepared.
    pub fn expected(self, set: &DataSet, first: i64, last: i64) -> Sum {
        match self {
            Self::People => checksum::people(set, first, last),
            Self::Documents => checksum::documents(set, first, last),
        }
    }

    /// The query that counts rows that seem unchanged, without checksums.
    pub const fn count(self) -> &'static str {
        match self {
            Self::People => {
                "SELECT count(*) FROM headcount.people WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
            Self::Documents => {
                "SELECT count(*) FILTER (WHERE revision = 0) FROM headcount.documents \
                 WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
        }
    }

    /// The query that counts rows and sums their marks, as [`Sum`] does.
    pub const fn sum(self) -> &'static str {
        match self {
            Self::People => {
                "SELECT count(*), coalesce(sum(('x' || left(encode(sha256(convert_to( \
                 concat_ws('|', id, name, mail), 'UTF8')), 'hex'), 8))::bit(32)::bigint), 0)::bigint \
                 FROM headcount.people WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
            Self::Documents => {
                "SELECT count(*), coalesce(sum(('x' || left(encode(sha256(convert_to( \
                 concat_ws('|', id, topic, coalesce(parent, 0), category, author, editor, stamp, \
                 revision, extract(epoch FROM created)::bigint, subject, body), 'UTF8')), 'hex'), 8)) \
                 ::bit(32)::bigint), 0)::bigint \
                 FROM headcount.documents WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
        }
    }

    const fn delete(self) -> &'static str {
        match self {
            Self::People => {
                "DELETE FROM headcount.people WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
            Self::Documents => {
                "DELETE FROM headcount.documents WHERE id BETWEEN $1::bigint AND $2::bigint"
            }
        }
    }

    const fn copy(self) -> &'static str {
        match self {
            Self::People => "COPY headcount.people (id, name, mail) FROM STDIN",
            Self::Documents => {
                "COPY headcount.documents (id, topic, parent, category, author, editor, stamp, \
                 created, subject, body) FROM STDIN"
            }
        }
    }

    /// A row for COPY; nothing in it needs to be escaped.
    fn line(self, set: &DataSet, id: i64) -> String {
        match self {
            Self::People => {
                let it = set.person(id as i32);
                format!("{id}\t{}\t{}\n", it.name, it.mail)
            }
            Self::Documents => {
                let it = set.document(id);
                let parent = it
                    .parent
                    .map_or_else(|| "\\N".to_owned(), |id| id.to_string());
                format!(
                    "{id}\t{}\t{parent}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
                    it.topic,
                    it.category,
                    it.author,
                    it.author,
                    DataSet::stamp(id),
                    moment(it.created_s),
                    it.subject,
                    set.body(&it)
                )
            }
        }
    }

    /// Re-creates rows `first` to `last` in one transaction; returns the bytes sent.
    pub async fn remake(
        self,
        wire: &mut Wire,
        set: &DataSet,
        first: i64,
        last: i64,
    ) -> Result<u64, Fault> {
        execute(wire, "BEGIN").await?;
        let delete = Question {
            text: self.delete(),
            parameters: &[Int8(first), Int8(last)],
            columns: &[],
        };
        delete.ask(wire, |_| Ok(())).await?;
        let (mut id, mut sent_bytes) = (first, 0);
        let append = |out: &mut String| {
            let line = self.line(set, id);
            sent_bytes += line.len() as u64;
            out.push_str(&line);
            id += 1;
            Ok(id <= last)
        };
        wire.copy_in(self.copy(), append).await?;
        execute(wire, "COMMIT").await?;
        Ok(sent_bytes)
    }
}
