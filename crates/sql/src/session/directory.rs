//! The directory of people, and appointments.

use headcount_load::{Fault, Moved, User};

use super::query::Query;
use super::{SqlSession, get, received, wrong};
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
        let rows = self
            .ask(Query::Lookup, &[&format!("{typed}%"), &entries])
            .await?;
        if self.shared.verify {
            if rows.is_empty() || i64::try_from(rows.len()).unwrap_or(i64::MAX) > entries {
                let found = rows.len();
                return Err(wrong(format!(
                    "looking up \"{typed}\" found {found} people; it must be from 1 to {entries}"
                )));
            }
            for row in &rows {
                let (id, name, mail): (i32, &str, &str) =
                    (get(row, 0)?, get(row, 1)?, get(row, 2)?);
                let stored = self.shared.data_set.person(id);
                let is_same = name == stored.name && mail == stored.mail;
                if !is_same || !name.to_lowercase().starts_with(&typed) {
                    let sentence =
                        format!("looking up \"{typed}\" found person {id}, who is another");
                    return Err(wrong(sentence));
                }
            }
        }
        Ok(received(&rows))
    }

    /// Makes an appointment, or puts the latest off by a day.
    pub(super) async fn appointment(
        &mut self,
        change: Change,
        user: &mut User,
    ) -> Result<Moved, Fault> {
        let owner = self.number;
        let subject = words(subject_key(owner), SUBJECT_BYTES);
        let mut rows = Vec::new();
        if change == Change::Move {
            rows = self.ask(Query::MoveAppointment, &[&owner]).await?;
        }
        let is_new = rows.is_empty();
        if is_new {
            let hours = user.stream().below(MOST_HOURS) as f64;
            rows = self
                .ask(Query::AddAppointment, &[&owner, &hours, &subject])
                .await?;
        }
        let row = rows
            .first()
            .ok_or_else(|| wrong("an appointment was made, and is not there"))?;
        let (whose, what): (i32, &str) = (get(row, 0)?, get(row, 1)?);
        if whose != owner || !is_words(subject_key(owner), what) {
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
