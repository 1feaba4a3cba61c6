//! Transactions: what is retried, what is counted, and what is left open.

mod talk;

use serde_json::{Value, json};

use talk::{mistake, play, say};

fn transaction(conflicts: u64, retries: u64) -> Value {
    json!({"steps": [{"transaction": "pay", "retries": retries, "steps": [
        say("a"), {"name": "b", "say": "b", "conflicts": conflicts},
    ]}]})
}

#[test]
fn a_transaction_with_a_conflict_is_retried_and_counts_once() {
    let (heard, last) = play(&transaction(2, 2));
    let words: Vec<_> = heard
        .iter()
        .filter_map(|text| text.split_once('@'))
        .collect();
    let words: Vec<_> = words.into_iter().map(|(text, _)| text).collect();
    let tries = ["begin", "a", "b", "Retry"].repeat(2);
    assert_eq!(
        words[..12],
        [tries, ["begin", "a", "b", "commit"].to_vec()].concat()
    );
    let scenario = &last.recorder.scenarios[0];
    assert_eq!((scenario.completed, scenario.failed), (3, 0));
    assert!(
        last.recorder.faults.is_empty(),
        "{:?}",
        last.recorder.faults
    );
}

#[test]
fn a_transaction_with_too_many_conflicts_fails_with_its_reason() {
    let (heard, last) = play(&transaction(99, 1));
    let words: Vec<_> = heard
        .iter()
        .filter_map(|text| text.split_once('@'))
        .collect();
    let words: Vec<_> = words.into_iter().map(|(text, _)| text).collect();
    let round = ["begin", "a", "b", "Retry", "begin", "a", "b", "Leave"];
    assert_eq!(words[..8], round);
    let scenario = &last.recorder.scenarios[0];
    assert_eq!((scenario.completed, scenario.failed), (0, 3));
    let faults: Vec<_> = last.recorder.faults.values().collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(
        (faults[0].count, &*faults[0].examples[0]),
        (3, "a conflict")
    );
}

#[test]
fn an_open_transaction_is_rolled_back_and_fails_the_scenario() {
    let steps = json!({"steps": [{"name": "open", "op": "begin"}, say("a")]});
    let (heard, last) = play(&steps);
    assert_eq!(heard[3], "Leave@");
    assert_eq!(last.recorder.scenarios[0].failed, 3);
    let faults = format!("{:?}", last.recorder.faults);
    assert!(
        faults.contains("the scenario ends within a transaction"),
        "{faults}"
    );
}

#[test]
fn transactions_cannot_be_nested() {
    let inner = json!({"transaction": "inner", "steps": [say("a")]});
    let steps = json!({"steps": [{"transaction": "outer", "steps": [inner]}]});
    let sentence = mistake(&steps);
    assert!(
        sentence.contains("a transaction cannot be in another"),
        "{sentence}"
    );
}
