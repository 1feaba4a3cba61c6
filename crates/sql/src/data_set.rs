//! The initial contents of the schema: people, and documents in threads of main topics and
//! responses.
//!
//! Every row follows from the seed and its number.

use serde::{Deserialize, Serialize};

use crate::text::{key, mix, words};

/// The name of the schema.
pub const SCHEMA: &str = "headcount";
/// Documents of a thread: a main topic and its responses, and responses to those.
pub const THREAD: i64 = 5;
/// When the first document was written, in s since 1970: 1 January 2020. Each is a minute later
/// than the one before.
pub const FIRST_CREATED_S: i64 = 1_577_836_800;
/// The Julian day of 1 January 1970, with which dates are written for COPY.
const JULIAN_EPOCH: i64 = 2_440_588;
/// Length of a subject.
const SUBJECT_BYTES: usize = 40;

const GIVEN: [&str; 32] = [
    "Ada",
    "Alan",
    "Barbara",
    "Charles",
    "Claude",
    "Dennis",
    "Donald",
    "Edgar",
    "Edsger",
    "Emmy",
    "Frances",
    "George",
    "Grace",
    "Hedy",
    "Ida",
    "Jean",
    "John",
    "Kathleen",
    "Ken",
    "Konrad",
    "Leslie",
    "Margaret",
    "Mary",
    "Maurice",
    "Niklaus",
    "Peter",
    "Radia",
    "Robin",
    "Sophie",
    "Stephanie",
    "Tony",
    "Vera",
];
const FAMILY: [&str; 16] = [
    "Al", "Bar", "Bren", "Car", "Dal", "Fer", "Hol", "Kel", "Lind", "Mar", "Nor", "Pel", "Rad",
    "Sten", "Tor", "Wil",
];
const ENDINGS: [&str; 8] = ["ander", "berg", "den", "ford", "ing", "man", "son", "well"];

/// The sizes of the data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSet {
    /// Documents of the discussion.
    pub documents: u32,
    /// Categories of them.
    pub categories: u32,
    /// Bytes of a document's body.
    pub body_bytes: u32,
    /// People in the directory. Those whose numbers are users' wrote some of the documents.
    pub people: u32,
    /// The data set's own seed: runs with other seeds find the same rows.
    pub seed: u64,
}

impl Default for DataSet {
    fn default() -> Self {
        Self {
            documents: 10_000,
            categories: 20,
            body_bytes: 1_000,
            people: 10_000,
            seed: 1,
        }
    }
}

/// One row of the table of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its number.
    pub id: i64,
    /// The main topic of its thread.
    pub topic: i64,
    /// What it responds to.
    pub parent: Option<i64>,
    /// Its category, from 0.
    pub category: i32,
    /// Who wrote it.
    pub author: i32,
    /// Its subject.
    pub subject: String,
    /// When it was written, in s since 1970.
    pub created_s: i64,
}

/// One row of the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their number.
    pub id: i32,
    /// Given name and family name.
    pub name: String,
    /// Their address.
    pub mail: String,
}

impl DataSet {
    /// Checks the bounds. The error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: u32, low: u32, high: u32| {
            (low..=high)
                .contains(&value)
                .then_some(())
                .ok_or_else(|| format!("{name} is {value}; it must be from {low} to {high}"))
        };
        within("documents", self.documents, 1, 100_000_000)?;
        within("categories", self.categories, 1, 10_000)?;
        within("body_bytes", self.body_bytes, 1, 1 << 20)?;
        within("people", self.people, 1, 10_000_000)
    }

    /// The document with this number, from 1, without its body.
    #[must_use]
    pub fn document(&self, id: i64) -> Document {
        let topic = (id - 1) / THREAD * THREAD + 1;
        let of_thread = key(&[self.seed, 0x7468, topic as u64]);
        let own = key(&[self.seed, 0x646f, id as u64]);
        let before = id - topic;
        Document {
            id,
            topic,
            parent: (before > 0).then(|| topic + below(own, before as u64).cast_signed()),
            category: below(of_thread, u64::from(self.categories)) as i32,
            author: below(mix(own), u64::from(self.people)) as i32,
            subject: words(mix(own ^ 1), SUBJECT_BYTES).trim_end().to_owned(),
            created_s: FIRST_CREATED_S + id * 60,
        }
    }

    /// The stamp of a prepared document's initial body.
    #[must_use]
    pub const fn stamp(id: i64) -> i64 {
        -id
    }

    /// The key of a body: its editor, and which of the editor's bodies it is.
    #[must_use]
    pub fn body_key(&self, editor: i32, stamp: i64) -> u64 {
        key(&[self.seed, 0x626f, editor as u64, stamp as u64])
    }

    /// The initial body of a prepared document.
    #[must_use]
    pub fn body(&self, document: &Document) -> String {
        let key = self.body_key(document.author, Self::stamp(document.id));
        words(key, self.body_bytes as usize)
    }

    /// The person with this number, from 0.
    #[must_use]
    pub fn person(&self, id: i32) -> Person {
        let own = key(&[self.seed, 0x7065, id as u64]);
        let given = GIVEN[own as usize & 31];
        let family = FAMILY[(own >> 8) as usize & 15];
        let ending = ENDINGS[(own >> 16) as usize & 7];
        Person {
            id,
            name: format!("{given} {family}{ending}"),
            mail: format!("person{id:06}@headcount.invalid"),
        }
    }
}

/// One of `bound` numbers, from 0, by multiply-shift.
fn below(bits: u64, bound: u64) -> u64 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u64
}

/// A moment in a form that PostgreSQL reads with any date style: by Julian day (PostgreSQL 15,
/// B.7).
#[must_use]
pub fn moment(unix_s: i64) -> String {
    let day = unix_s.div_euclid(86_400) + JULIAN_EPOCH;
    let second = unix_s.rem_euclid(86_400);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("J{day} {hour:02}:{minute:02}:{:02}+00", second % 60)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn documents_are_in_threads_of_one_category(seed in any::<u64>(), id in 1i64..1_000_000) {
            let set = DataSet { seed, ..DataSet::default() };
            let document = set.document(id);
            prop_assert_eq!(&document, &set.document(id));
            prop_assert_eq!(document.category, set.document(document.topic).category);
            prop_assert!((0..20).contains(&document.category));
            prop_assert!((0..10_000).contains(&document.author));
            match document.parent {
                None => prop_assert_eq!(document.id, document.topic),
                Some(parent) => prop_assert!((document.topic..id).contains(&parent)),
            }
            prop_assert!(set.body(&document) != set.body(&set.document(id + 1)));
            prop_assert_eq!(set.body(&document).len(), 1_000);
        }
    }

    #[test]
    fn categories_and_authors_are_spread_evenly() {
        let set = DataSet::default();
        let mut of_category = [0u32; 20];
        for id in 1..=10_000 {
            of_category[set.document(id).category as usize] += 1;
        }
        // 100 threads of 5 documents each on average; 5 standard deviations of the number of threads.
        assert!(
            of_category.iter().all(|n| (250..=750).contains(n)),
            "{of_category:?}"
        );
    }

    #[test]
    fn times_are_written_as_julian_days() {
        assert_eq!(moment(0), "J2440588 00:00:00+00");
        // J2000: the Julian date 2451545 began at noon of 1 January 2000 (946728000).
        assert_eq!(moment(946_728_000), "J2451545 12:00:00+00");
    }

    #[test]
    fn values_out_of_bounds_are_reported() {
        let set = DataSet {
            documents: 0,
            ..DataSet::default()
        };
        assert_eq!(
            set.check().unwrap_err(),
            "documents is 0; it must be from 1 to 100000000"
        );
    }
}
