//! The statements, as PostgreSQL reads them. They name nothing outside the schema `headcount`.

use crate::row::Type;
use crate::row::Type::{Int4, Int8, Text};

/// A statement that sessions prepare once, when they first need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// The categories and the number of their documents.
    Categories,
    /// The first entries of the view.
    FirstPage,
    /// The entries after a key.
    NextPage,
    /// The entries after an offset.
    OffsetPage,
    /// The unread list of a user is set.
    SetUnread,
    /// The next document of the list, which becomes read.
    ReadUnread,
    /// A document.
    ReadDocument,
    /// A new main topic.
    Add,
    /// A document gets another body.
    Update,
    /// The oldest documents of an author are deleted.
    DeleteOldest,
    /// People by the beginning of their name.
    Lookup,
    /// A new appointment.
    AddAppointment,
    /// The latest appointment of a user is put off.
    MoveAppointment,
}

/// How many there are.
pub const QUERIES: usize = Query::MoveAppointment as usize + 1;

macro_rules! entries {
    ($rest:literal) => {
        concat!(
            "SELECT category, topic, id, author, subject, \
             extract(epoch FROM created)::bigint AS created_s FROM headcount.documents ",
            $rest
        )
    };
}

macro_rules! document {
    ($alias:literal) => {
        concat!(
            $alias,
            ".id, ",
            $alias,
            ".topic, ",
            $alias,
            ".category, ",
            $alias,
            ".author, ",
            $alias,
            ".editor, ",
            $alias,
            ".stamp, ",
            $alias,
            ".revision, ",
            $alias,
            ".subject, ",
            $alias,
            ".body"
        )
    };
}

impl Query {
    /// The types of its columns.
    #[must_use]
    pub const fn columns(self) -> &'static [Type] {
        match self {
            Self::Categories => &[Int4, Int8],
            Self::FirstPage | Self::NextPage | Self::OffsetPage => {
                &[Int4, Int8, Int8, Int4, Text, Int8]
            }
            Self::SetUnread => &[Int8],
            Self::ReadUnread | Self::ReadDocument => {
                &[Int8, Int8, Int4, Int4, Int4, Int8, Int4, Text, Text]
            }
            Self::Add | Self::Update => &[Int8, Int4, Int8],
            Self::DeleteOldest => &[Int8, Int4],
            Self::Lookup => &[Int4, Text, Text],
            Self::AddAppointment | Self::MoveAppointment => &[Int4, Text],
        }
    }

    /// The statement's text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Categories => {
                "SELECT category, count(*) FROM headcount.documents GROUP BY category ORDER BY category"
            }
            Self::FirstPage => entries!("ORDER BY category, topic, id LIMIT $1"),
            Self::NextPage => entries!(
                "WHERE (category, topic, id) > ($2, $3, $4) ORDER BY category, topic, id LIMIT $1"
            ),
            Self::OffsetPage => entries!("ORDER BY category, topic, id LIMIT $1 OFFSET $2"),
            // The document at or after each number, or else the first: the list always has full
            // length.
            Self::SetUnread => {
                "WITH marks AS (DELETE FROM headcount.read_marks WHERE reader = $1), \
                 rest AS (DELETE FROM headcount.unread WHERE reader = $1 AND place > cardinality($2::bigint[])) \
                 INSERT INTO headcount.unread (reader, place, document) \
                 SELECT $1, near.place, found.id \
                 FROM unnest($2::bigint[]) WITH ORDINALITY AS near (id, place) \
                 CROSS JOIN LATERAL (SELECT coalesce( \
                   (SELECT d.id FROM headcount.documents d WHERE d.id >= near.id ORDER BY d.id LIMIT 1), \
                   (SELECT d.id FROM headcount.documents d ORDER BY d.id LIMIT 1)) AS id) found \
                 WHERE found.id IS NOT NULL \
                 ON CONFLICT (reader, place) DO UPDATE SET document = excluded.document \
                 RETURNING document"
            }
            Self::ReadUnread => concat!(
                "WITH next AS (SELECT d.* FROM headcount.unread u \
                 JOIN headcount.documents d ON d.id = u.document \
                 WHERE u.reader = $1 AND NOT EXISTS (SELECT FROM headcount.read_marks m \
                   WHERE m.reader = $1 AND m.document = u.document) \
                 ORDER BY u.place LIMIT 1), \
                 mark AS (INSERT INTO headcount.read_marks (reader, document) \
                   SELECT $1, id FROM next ON CONFLICT DO NOTHING) SELECT ",
                document!("next"),
                " FROM next"
            ),
            Self::ReadDocument => concat!(
                "SELECT ",
                document!("d"),
                " FROM headcount.documents d WHERE d.id >= $1 ORDER BY d.id LIMIT 1"
            ),
            Self::Add => {
                "INSERT INTO headcount.documents \
                 (id, topic, category, author, editor, stamp, subject, body) \
                 SELECT n, n, $1::int, $2::int, $2::int, $3::bigint, $4::text, $5::text \
                 FROM nextval('headcount.document_numbers') AS n RETURNING id, author, stamp"
            }
            Self::Update => {
                "UPDATE headcount.documents SET editor = $2, stamp = $3, body = $4, \
                 revision = revision + 1 WHERE id = (SELECT id FROM headcount.documents \
                 WHERE id >= $1 ORDER BY id LIMIT 1) RETURNING id, editor, stamp"
            }
            Self::DeleteOldest => {
                "DELETE FROM headcount.documents WHERE id IN (SELECT id FROM headcount.documents \
                 WHERE author = $1 ORDER BY id LIMIT $2) RETURNING id, author"
            }
            Self::Lookup => {
                "SELECT id, name, mail FROM headcount.people WHERE lower(name) LIKE $1 LIMIT $2"
            }
            Self::AddAppointment => {
                "INSERT INTO headcount.appointments (owner, starts, subject) \
                 VALUES ($1, now() + $2 * interval '1 hour', $3) RETURNING owner, subject"
            }
            Self::MoveAppointment => {
                "UPDATE headcount.appointments SET starts = starts + interval '1 day' \
                 WHERE id = (SELECT id FROM headcount.appointments WHERE owner = $1 \
                 ORDER BY id DESC LIMIT 1) RETURNING owner, subject"
            }
        }
    }
}
