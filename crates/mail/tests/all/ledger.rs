//! The ledger against a plain model that forgets nothing.

use std::collections::BTreeMap;

use headcount_mail::ledger::{Ledger, Lost, Seen};
use headcount_mail::message::Stamp;
use proptest::collection::vec;
use proptest::prelude::*;

const RUN: u64 = 3;

const fn stamp(sender: u32, sequence: u32) -> Stamp {
    Stamp {
        run: RUN,
        sender,
        sequence,
        sent_unix_us: 0,
    }
}

#[derive(Debug, Clone)]
enum Act {
    Begin(u32, Vec<u32>),
    Post(u32, Vec<u32>),
    Refuse(u32, Vec<u32>),
    See {
        recipient: u32,
        message: u32,
        uid: u32,
    },
    Look {
        recipient: u32,
        limit: u64,
    },
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let many = (0_u32..20, vec(0_u32..70, 1..4));
    let begin = many
        .clone()
        .prop_map(|(message, to)| Act::Begin(message, to));
    let post = many
        .clone()
        .prop_map(|(message, to)| Act::Post(message, to));
    let refuse = many.prop_map(|(message, to)| Act::Refuse(message, to));
    let see = (0_u32..70, 0_u32..20, 0_u32..3).prop_map(|(recipient, message, uid)| Act::See {
        recipient,
        message,
        uid,
    });
    let look = (0_u32..70, 0_u64..30).prop_map(|(recipient, limit)| Act::Look { recipient, limit });
    vec(
        prop_oneof![2 => begin, 3 => post, 1 => refuse, 4 => see, 2 => look],
        0..120,
    )
}

/// What the model knows about one message to one recipient.
#[derive(Default)]
struct Fact {
    begun: bool,
    accepted: Option<u64>,
    uid: Option<u32>,
    reported_lost: bool,
    reported_twice: bool,
}

impl Fact {
    const fn is_waiting(&self) -> bool {
        self.uid.is_none() && self.begun
    }

    fn see(&mut self, uid: u32, now: u64) -> Seen {
        match self.uid {
            None if !self.begun => Seen::Unexpected,
            None => {
                self.uid = Some(uid);
                let delivery_ns = self.accepted.map_or(0, |accepted| now - accepted);
                Seen::First { delivery_ns }
            }
            Some(known) if known == uid || self.reported_twice => Seen::Known,
            Some(_) => {
                self.reported_twice = true;
                Seen::Duplicate
            }
        }
    }
}

proptest! {
    #[test]
    fn the_ledger_agrees_with_a_plain_model(acts in acts()) {
        let ledger = Ledger::new(RUN);
        let mut facts: BTreeMap<(u32, u32), Fact> = BTreeMap::new();
        for (now, act) in acts.into_iter().enumerate() {
            let now = now as u64;
            match act {
                Act::Begin(message, recipients) => {
                    ledger.posting(message / 5, message % 5, &recipients);
                    for recipient in recipients {
                        facts.entry((recipient, message)).or_default().begun = true;
                    }
                }
                Act::Post(message, recipients) => {
                    ledger.posted(message / 5, message % 5, &recipients, now);
                    for recipient in recipients {
                        let fact = facts.entry((recipient, message)).or_default();
                        fact.begun = true;
                        fact.accepted.get_or_insert(now);
                    }
                }
                Act::Refuse(message, recipients) => {
                    ledger.refused(message / 5, message % 5, &recipients);
                    for recipient in recipients {
                        let fact = facts.entry((recipient, message)).or_default();
                        if fact.is_waiting() {
                            *fact = Fact::default();
                        }
                    }
                }
                Act::See { recipient, message, uid } => {
                    let fact = facts.entry((recipient, message)).or_default();
                    let seen = ledger.seen(recipient, &stamp(message / 5, message % 5), uid, now);
                    prop_assert_eq!(seen, fact.see(uid, now));
                }
                Act::Look { recipient, limit } => {
                    let mut missing = Vec::new();
                    for (&(_, message), fact) in facts.range_mut((recipient, 0)..(recipient + 1, 0)) {
                        let Some(accepted_ns) = fact.accepted else { continue };
                        if fact.is_waiting() && accepted_ns + limit < now && !fact.reported_lost {
                            fact.reported_lost = true;
                            missing.push(Lost { sender: message / 5, sequence: message % 5, accepted_ns });
                        }
                    }
                    prop_assert_eq!(ledger.looked(recipient, now, limit), missing);
                }
            }
        }
        let waiting = facts.values().filter(|fact| fact.is_waiting()).count();
        prop_assert_eq!((ledger.on_their_way(), ledger.forgotten()), (waiting, 0));
    }
}

#[test]
fn messages_of_other_runs_are_unexpected() {
    let ledger = Ledger::new(RUN);
    ledger.posted(1, 1, &[5], 10);
    let other = Stamp {
        run: RUN + 1,
        ..stamp(1, 1)
    };
    assert_eq!(ledger.seen(5, &other, 1, 20), Seen::Unexpected);
    assert_eq!(ledger.seen(6, &stamp(1, 1), 1, 20), Seen::Unexpected);
    assert_eq!(
        ledger.seen(5, &stamp(1, 1), 1, 20),
        Seen::First { delivery_ns: 10 }
    );
}

#[test]
fn memory_is_bounded_and_forgotten_messages_are_counted() {
    let ledger = Ledger::bounded(RUN, 64 * 10); // ten for each of the 64 locks
    for sequence in 0..25 {
        ledger.posted(1, sequence, &[7], 0);
    }
    assert_eq!((ledger.on_their_way(), ledger.forgotten()), (10, 15));
    for sequence in 0..10 {
        let seen = ledger.seen(7, &stamp(1, sequence), sequence, 5);
        assert_eq!(seen, Seen::First { delivery_ns: 5 });
    }
    for sequence in 10..15 {
        ledger.posted(1, sequence, &[7], 0);
        let seen = ledger.seen(7, &stamp(1, sequence), sequence, 5);
        assert_eq!(seen, Seen::First { delivery_ns: 5 });
    }
    // The oldest arrivals are forgotten, so a second copy of one is not reported.
    assert_eq!(ledger.seen(7, &stamp(1, 4), 9, 6), Seen::Known);
    assert_eq!(ledger.seen(7, &stamp(1, 5), 9, 6), Seen::Duplicate);
    assert_eq!(ledger.seen(7, &stamp(1, 5), 5, 6), Seen::Known);
    assert_eq!(ledger.on_their_way(), 0);
}

#[test]
fn workers_share_one_ledger() {
    let ledger = Ledger::new(RUN);
    std::thread::scope(|scope| {
        for worker in 0..4_u32 {
            let ledger = &ledger;
            scope.spawn(move || {
                for sequence in 0..1000 {
                    let to: Vec<u32> = (0..3)
                        .map(|n| (worker * 31 + sequence * 7 + n) % 50)
                        .collect();
                    ledger.posted(worker, sequence, &to, 1);
                    for recipient in to {
                        let seen = ledger.seen(recipient, &stamp(worker, sequence), sequence, 2);
                        assert_eq!(seen, Seen::First { delivery_ns: 1 });
                    }
                }
            });
        }
    });
    assert_eq!(ledger.on_their_way(), 0);
}
