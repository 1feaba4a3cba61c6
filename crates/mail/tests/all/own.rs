//! Steps in the workload's own words, on a real Dovecot.

#![allow(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test that called"
)]

use crate::common::dovecot::Dovecot;
use crate::common::house::{options, play_run};
use headcount_load::recorder::Recorder;
use headcount_mail::message::mime;
use serde_json::{Value, json};

const USERS: u32 = 3;

fn scenario(steps: &[Value]) -> Value {
    json!([{"name": "own", "weight": 1, "limit_ms": 30_000.0, "late_ms": 30_000.0, "steps": steps}])
}

fn faults(counted: &Recorder) -> Vec<String> {
    let all = counted.faults.values().flat_map(|fault| &fault.examples);
    all.map(ToString::to_string).collect()
}

/// Plays users who send themselves codes, find them, and play `last`. Returns the counts.
fn play_codes(dovecot: &Dovecot, last: &Value) -> Recorder {
    let options = options(dovecot, 5, &json!({}));
    let key = r#"UNSEEN SUBJECT "code \"{n}-{iteration}\"""#;
    let steps = [
        json!({"name": "send", "op": "send", "to": "{username}@test.invalid",
            "subject": "\u{e9}t\u{e9}: code \"{n}-{iteration}\" {{x}", "body": "Hello\nYour code: <{n}x{iteration}>"}),
        json!({"repeat": {"until": {"value": "{found}", "above": 0}, "at_most": 50}, "steps": [
            {"name": "search", "op": "search", "key": key,
             "capture": {"found": {"of": "count"}, "uid": {"of": "uid", "pick": "last"}}}]}),
        last.clone(),
    ];
    play_run(&options, &scenario(&steps), (USERS, 2), || {})
}

#[test]
fn a_code_that_was_sent_is_found_captured_and_checked() {
    let dovecot = Dovecot::start();
    let check = json!([
        {"header": "subject", "equals": "\u{e9}t\u{e9}: code \"{n}-{iteration}\" {{x}"},
        {"regex": "code: <(.*?)>", "equals": "{n}x{iteration}"},
        {"of": "count", "equals": 1}, {"of": "uid", "equals": "{uid}"},
        {"of": "size", "above": 100}, {"of": "time-ms", "below": 30_000},
    ]);
    let fetch = json!({"name": "read", "op": "fetch", "which": "found", "check": check,
        "capture": {"code": {"regex": "<(.*)>"}}});
    let counted = play_codes(&dovecot, &fetch);
    assert_eq!(faults(&counted), Vec::<String>::new());
    assert!(counted.scenarios[0].completed > u64::from(USERS));
    // The messages on disk have these texts.
    let letters = dovecot.messages("u00001", "");
    let texts: Vec<String> = letters
        .iter()
        .map(|(contents, _)| String::from_utf8(mime::text(contents)).unwrap())
        .collect();
    assert!(
        texts.contains(&"Hello\r\nYour code: <1x0>\r\n".to_owned()),
        "{texts:?}"
    );
}

#[test]
fn headers_are_fetched_by_uid() {
    let dovecot = Dovecot::start();
    let fetch = json!({"name": "read", "op": "fetch", "uid": "{uid}", "what": "headers",
        "check": [{"header": "To", "equals": "{username}@test.invalid"}]});
    let counted = play_codes(&dovecot, &fetch);
    assert_eq!(faults(&counted), Vec::<String>::new());
}

#[test]
fn failed_steps_name_the_reason() {
    let dovecot = Dovecot::start();
    let options = options(&dovecot, 6, &json!({}));
    let fault_of = |step: Value| {
        let counted = play_run(&options, &scenario(&[step]), (1, 1), || {});
        let completed = counted.scenarios[0].completed;
        assert_eq!(completed, 0, "{completed} got through");
        faults(&counted).remove(0)
    };
    let search = json!({"name": "search", "op": "search", "key": "ALL", "folder": "Nowhere"});
    assert!(fault_of(search).contains("Nowhere"));
    let none = json!({"name": "read", "op": "fetch", "which": "found"});
    assert!(fault_of(none).contains("no search has found one"));
    let empty = json!({"name": "read", "op": "fetch", "folder": "Trash",
        "capture": {"code": {"regex": "[0-9]+"}}});
    assert!(fault_of(empty).contains("nothing to capture for code"));
    let count = json!({"name": "search", "op": "search", "key": "ALL",
        "check": [{"of": "count", "equals": 5}]});
    let fault = fault_of(count);
    assert!(
        fault.contains("check failed: the number of messages is \"0\" instead of \"5\""),
        "{fault}"
    );
    let to = json!({"name": "send", "op": "send", "to": "a@test.invalid\r\nBcc: b@test.invalid"});
    let fault = fault_of(to);
    assert!(fault.contains("address"), "{fault}");
}
