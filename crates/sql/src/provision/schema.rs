//! The schema: its tables, and who made it.

use super::error::ProvisionError;
use super::patience::Desk;
use super::question::{Question, execute};
use crate::client::Shared;
use crate::data_set::DataSet;
use crate::row::{Row, Type};

/// The version of the tables. Tables of another version are re-created.
const VERSION: i32 = 1;

/// Makes everything, in one transaction.
const CREATE: &str = "BEGIN; \
CREATE SCHEMA headcount; \
CREATE TABLE headcount.marker (made_by text NOT NULL, version int NOT NULL, seed bigint NOT NULL, \
  description text NOT NULL); \
CREATE TABLE headcount.people (id int PRIMARY KEY, name text NOT NULL, mail text NOT NULL); \
CREATE INDEX people_name ON headcount.people (lower(name) text_pattern_ops); \
CREATE SEQUENCE headcount.document_numbers; \
CREATE TABLE headcount.documents (id bigint PRIMARY KEY, topic bigint NOT NULL, parent bigint, \
  category int NOT NULL, author int NOT NULL, editor int NOT NULL, stamp bigint NOT NULL, \
  revision int NOT NULL DEFAULT 0, created timestamptz NOT NULL DEFAULT now(), \
  subject text NOT NULL, body text NOT NULL); \
CREATE INDEX documents_view ON headcount.documents (category, topic, id); \
CREATE INDEX documents_author ON headcount.documents (author, id); \
CREATE TABLE headcount.unread (reader int, place bigint, document bigint NOT NULL, \
  PRIMARY KEY (reader, place)); \
CREATE TABLE headcount.read_marks (reader int, document bigint, \
  marked timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (reader, document)); \
CREATE TABLE headcount.appointments (id bigserial PRIMARY KEY, owner int NOT NULL, \
  starts timestamptz NOT NULL, subject text NOT NULL); \
CREATE INDEX appointments_owner ON headcount.appointments (owner, id)";

/// Drops everything in one transaction, but nothing that depends on it: that is not Headcount's.
/// A failover that was killed leaves its table of written rows.
const DROP: &str = "BEGIN; \
DROP TABLE IF EXISTS headcount.people, headcount.documents, headcount.unread, \
  headcount.read_marks, headcount.appointments, headcount.ledger, headcount.marker; \
DROP SEQUENCE IF EXISTS headcount.document_numbers; \
DROP SCHEMA headcount; \
COMMIT";

/// What a database has of Headcount's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// No schema of that name.
    Absent,
    /// Headcount's, with this version and data set.
    Ours(i32, String),
}

/// Looks for the schema. A schema that Headcount did not make is an error.
pub async fn state(desk: &mut Desk<'_>, shared: &Shared) -> Result<State, ProvisionError> {
    // Every role can read the catalogue, whichever owns the schema.
    const FIND: &str = "SELECT coalesce(array_agg(a.attname ORDER BY a.attnum)::text[] \
        = '{made_by,version,seed,description}', false) \
        FROM pg_namespace n \
        LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'marker' AND c.relkind = 'r' \
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
        WHERE n.nspname = 'headcount' GROUP BY n.oid";
    const READ: &str = "SELECT version, description FROM headcount.marker \
        WHERE made_by = 'Headcount'";
    let not_ours = || ProvisionError::NotOurs {
        database: shared.database.clone(),
    };
    let find = Question::new(FIND, &[Type::Bool]);
    let is_ours = desk
        .ask(None, async |wire| {
            let read = |row: &mut Row<'_>| {
                let is_ours: bool = row.read()?;
                Ok(is_ours)
            };
            find.ask_optional(wire, read).await
        })
        .await?;
    match is_ours {
        None => return Ok(State::Absent),
        Some(false) => return Err(not_ours()),
        Some(true) => {}
    }
    let read = Question::new(READ, &[Type::Int4, Type::Text]);
    let marker = desk
        .ask(None, async |wire| {
            read.ask_optional(wire, |row| {
                Ok((row.read()?, row.read::<&str>()?.to_owned()))
            })
            .await
        })
        .await?;
    let (version, description) = marker.ok_or_else(not_ours)?;
    Ok(State::Ours(version, description))
}

/// Whether the schema is that of this version and data set.
pub fn fits(state: &State, set: &DataSet) -> bool {
    *state == State::Ours(VERSION, description(set))
}

/// Makes the schema with empty tables.
pub async fn create(desk: &mut Desk<'_>, set: &DataSet) -> Result<(), ProvisionError> {
    let statements = format!(
        "{CREATE}; INSERT INTO headcount.marker VALUES ('Headcount', {VERSION}, {}, '{}'); COMMIT",
        set.seed.cast_signed(),
        description(set)
    );
    desk.ask(None, async |wire| execute(wire, &statements).await)
        .await
}

/// Drops the schema and what Headcount has in it.
pub async fn destroy(desk: &mut Desk<'_>) -> Result<(), ProvisionError> {
    desk.ask(None, async |wire| execute(wire, DROP).await).await
}

/// The data set in words for the marker: JSON of numbers, without a quote that would end a literal.
fn description(set: &DataSet) -> String {
    serde_json::json!(set).to_string()
}
