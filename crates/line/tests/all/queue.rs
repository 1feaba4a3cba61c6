//! The queue, compared with a plain list of packets.

use std::collections::VecDeque;

use headcount_line::{LARGEST, Queue};
use proptest::prelude::*;

const CAPACITY: usize = 400_000;

#[derive(Clone, Copy, Debug)]
enum Act {
    Keep(usize),
    Drop(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let length = prop_oneof![1_usize..100, 1400_usize..1510, 60_000..=LARGEST];
    let act = prop_oneof![length.prop_map(Act::Keep), (0_usize..6).prop_map(Act::Drop)];
    prop::collection::vec(act, 1..400)
}

#[test]
fn a_full_queue_takes_more_once_packets_have_left() {
    let mut queue = Queue::new(CAPACITY);
    let mut kept = 0;
    while queue.room().is_some() {
        queue.keep(1500, 0);
        kept += 1;
    }
    assert!(kept * 1500 <= CAPACITY);
    assert!(
        kept * 1600 >= CAPACITY - 2 * LARGEST,
        "not long before it must"
    );
    for _ in 0..kept / 2 {
        queue.drop_first();
    }
    assert!(queue.room().is_some());
    assert_eq!(queue.len(), kept - kept / 2);
}

#[test]
fn small_packets_are_bounded_too() {
    let mut queue = Queue::new(CAPACITY);
    while queue.room().is_some() {
        queue.keep(1, 0);
    }
    assert!(queue.len() < CAPACITY / 16);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_out_is_what_went_in(acts in acts()) {
        let mut queue = Queue::new(CAPACITY);
        let mut known: VecDeque<(u64, Vec<u8>)> = VecDeque::new();
        for (number, act) in acts.into_iter().enumerate() {
            match act {
                Act::Keep(length) => {
                    let fill = number as u8;
                    let Some(room) = queue.room() else { continue };
                    room[..length].fill(fill);
                    queue.keep(length, number as u64);
                    known.push_back((number as u64, vec![fill; length]));
                }
                Act::Drop(count) => {
                    for _ in 0..count {
                        queue.drop_first();
                        known.pop_front();
                    }
                }
            }
            prop_assert_eq!(queue.len(), known.len());
            prop_assert_eq!(queue.is_empty(), known.is_empty());
            let first = known.front().map(|(due_ns, bytes)| (*due_ns, &bytes[..]));
            prop_assert_eq!(queue.first(), first);
        }
    }
}
