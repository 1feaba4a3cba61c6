//! Setup and teardown of a scenario count towards no response time, and are played whatever
//! happens.

mod talk;

use serde_json::json;
use talk::{play, say};

#[test]
fn only_the_scenario_itself_is_timed() {
    let plan = json!({
        "before": [say("make"), {"pause": {"draw": "fixed", "s": 0.2}}],
        "steps": [say("use"), {"pause": {"draw": "fixed", "s": 0.1}}, say("use again")],
        "after": [{"pause": {"draw": "fixed", "s": 0.3}}, say("remove")],
    });
    let (heard, last) = play(&plan);
    // Each user thinks for a second after the teardown.
    assert_eq!(
        heard,
        [
            "opened",
            "make@0",
            "use@200",
            "use again@300",
            "remove@600",
            "make@1600",
            "use@1800",
            "use again@1900",
            "remove@2200",
        ]
    );
    let tally = &last.recorder.scenarios[0];
    assert_eq!((tally.completed, tally.failed), (2, 0));
    assert_eq!(tally.response_ns, 0, "pauses are nobody's response time");
    // Little's law: the user was there all the time, also before its first word.
    assert_eq!(last.recorder.think_ns / 1_000_000, 744 + 2_500);
    assert_eq!(
        last.recorder
            .steps
            .iter()
            .map(|it| it.completed)
            .sum::<u64>(),
        8
    );
}

#[test]
fn values_of_the_setup_last_until_the_teardown() {
    let plan = json!({
        "before": [{"set": {"order": "o{iteration}"}}],
        "steps": [say("pay {order}")],
        "after": [say("cancel {order}")],
    });
    let (heard, _) = play(&plan);
    assert_eq!(
        heard[1..5],
        ["pay o0@0", "cancel o0@0", "pay o1@1000", "cancel o1@1000"]
    );
}

#[test]
fn the_teardown_is_played_after_a_failure_too() {
    let fails = |text: &str| json!({"name": text, "say": text, "fails": true});
    let plan = json!({"before": [say("a")], "steps": [fails("b"), say("c")], "after": [say("d")]});
    let (heard, last) = play(&plan);
    assert_eq!(heard[..4], ["opened", "a@0", "b@0", "d@0"]);
    assert_eq!(last.recorder.scenarios[0].failed, 3);
    let plan = json!({"before": [fails("a"), say("b")], "steps": [say("c")], "after": [say("d")]});
    let (heard, last) = play(&plan);
    assert_eq!(heard[..3], ["opened", "a@0", "d@0"]);
    assert_eq!(last.recorder.scenarios[0].failed, 3);
}

#[test]
fn a_failed_teardown_does_not_fail_the_scenario() {
    let plan = json!({
        "steps": [say("a")], "after": [{"name": "b", "say": "b", "fails": true}, say("never")],
    });
    let (heard, last) = play(&plan);
    assert_eq!(heard[..4], ["opened", "a@0", "b@0", "a@1000"]);
    let tally = &last.recorder.scenarios[0];
    assert_eq!((tally.completed, tally.failed), (3, 0));
    assert!(format!("{:?}", last.recorder.faults).contains("as asked"));
}

#[test]
fn a_lost_session_skips_the_teardown() {
    let plan = json!({
        "before": [say("a")], "steps": [{"name": "b", "say": "b", "ends": true}], "after": [say("c")],
    });
    let (heard, _) = play(&plan);
    assert_eq!(heard[..5], ["opened", "a@0", "b@0", "opened", "a@1000"]);
}
