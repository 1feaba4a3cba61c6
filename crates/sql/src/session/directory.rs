//! The directory of people, and appointments.

use headcount_load::{Fault, Moved, User};

use super::query::Query;
use super::{SqlSession, received, wrong};
use crate::parameter::Parameter::{Float8, Int4, Int8, Text};
use crate::row::Row;
use crate::step::Change;
use crate::text::{is_words, key, words};

/// Bytes of an appointment's subject.
const SUBJECT_BYTES: usize = 40;
/// The longest time from now to a new appointment, in hours: 30 days.
const MOST_HOURS: u64 = 720;

impl SqlSession {
    /// Looks people up by the first letters of the name of one of them.
    pub(super) async fn lookup(
        &mut self,
        letters: u32,
        entries: i64,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let set = &self.shared.data_set;
        let someone = set.person(user.stream().below(set.people.into()) as i32);
        let typed: String = someone.name.chars().take(letters as usize).collect();
        let typed = typed.to_lowercase();
        let pattern = format!("{typed}%");
        let parameters = [Text(&pattern), Int8(entries)];
        let rows = self
            .ask(Query::Lookup, &parameters, |shared, row| {
                if !shared.verify {
                    return Ok(());
                }
                let (id, name, mail): (i32, &str, &str) = (row.read()?, row.read()?, row.read()?);
                let stored = shared.data_set.person(id);
                let is_same = name == stored.name && mail == stored.mail;
                if !is_same || !name.to_lowercase().starts_with(&typed) {
                    let sentence =
                        format!("looking up \"{typed}\" found person {id}, who does not match");
                    return Err(wrong(sentence));
                }
                Ok(())
            })
            .await?;
        let found = rows.count;
        if self.shared.verify && !(1..=entries.cast_unsigned()).contains(&found) {
            return Err(wrong(format!(
                "looking up \"{typed}\" found {found} people; it must be from 1 to {entries}"
            )));
        }
        Ok(received(rows))
    }

    /// Makes an appointment, or puts the latest off by a day.
    pub(super) async fn appointment(
        &mut self,
        change: Change,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let owner = self.number;
        let subject = words(subject_key(owner), SUBJECT_BYTES);
        let mut is_ours = true;
        let mut each = |row: &mut Row<'_>| {
            let (whose, what): (i32, &str) = (row.read()?, row.read()?);
            is_ours &= whose == owner && is_words(subject_key(owner), what);
            Ok(())
        };
        let mut made = 0;
        if change == Change::Move {
            made = self
                .ask(Query::MoveAppointment, &[Int4(owner)], |_, row| each(row))
                .await?
                .count;
        }
        let is_new = made == 0;
        if is_new {
            let hours = user.stream().below(MOST_HOURS) as f64;
            let parameters = [Int4(owner), Float8(hours), Text(&subject)];
            made = self
                .ask(Query::AddAppointment, &parameters, |_, row| each(row))
                .await?
                .count;
        }
        if made == 0 {
            return Err(wrong("an appointment was made, but is not there"));
        }
        if !is_ours {
            return Err(wrong("an appointment was made, but now belongs to another"));
        }
        Ok(Moved {
            read_bytes: 0,
            written_bytes: if is_new { subject.len() as u64 } else { 0 },
        })
    }
}

fn subject_key(owner: i32) -> u64 {
    key(&[0x6170, owner as u64])
}
