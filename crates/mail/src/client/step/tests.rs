use serde_json::json;

use super::*;

#[test]
fn every_operation_compiles() {
    for op in [
        "login-sequence",
        "select",
        "list",
        "append",
        "move",
        "copy",
        "flag",
        "delete",
        "expunge",
        "noop",
        "status",
        "quota",
        "check",
        "unselect",
        "logout",
        "send",
        "process-inbox",
        "read-old",
        "empty-deleted",
        "schedule-change",
        "delivery",
        "open-inbox",
        "page",
        "read-next",
        "categorise",
        "delete-one",
        "close-inbox",
    ] {
        let step = Step::compile(&json!({ "op": op }));
        assert!(step.is_ok(), "{op}: {step:?}");
    }
    for options in [
        json!({"op": "fetch", "what": "headers", "messages": 9}),
        json!({"op": "fetch", "what": "whole", "which": "random"}),
        json!({"op": "search", "key": "UNSEEN"}),
        json!({"op": "append", "folder": "INBOX", "bytes": 22_528}),
        json!({"op": "idle", "lasting": {"draw": "fixed", "s": 10.0}, "until_mail": true}),
        json!({"op": "send", "recipients": 3, "bytes": 1024, "attached_bytes": 50_000}),
        json!({"op": "send", "recipients": 3, "invitation": true}),
        json!({"op": "delivery", "within_s": 30.0, "poll_s": 0.5}),
        json!({"op": "add-message", "bytes": 10_240}),
    ] {
        let step = Step::compile(&options);
        assert!(step.is_ok(), "{options}: {step:?}");
    }
}

#[test]
fn mistakes_are_named() {
    for (options, part) in [
        (json!({}), "op"),
        (json!({"op": "retr"}), "retr"),
        (json!({"op": "noop", "often": 1}), "often"),
        (json!({"op": "fetch"}), "what"),
        (json!({"op": "fetch", "what": "all"}), "all"),
        (
            json!({"op": "fetch", "what": "flags", "messages": 0}),
            "messages must be",
        ),
        (
            json!({"op": "search", "key": "ALL\r\nx LOGOUT"}),
            "key must be one line",
        ),
        (json!({"op": "select", "folder": ""}), "folder must be"),
        (json!({"op": "flag", "flag": "a b"}), "flag must be"),
        (json!({"op": "append", "bytes": u32::MAX}), "bytes must be"),
        (
            json!({"op": "idle", "lasting": {"draw": "fixed", "s": 1e5}}),
            "lasting must be",
        ),
        (json!({"op": "send", "recipients": 0}), "recipients must be"),
        (
            json!({"op": "send", "attached_bytes": 5}),
            "goes with bytes",
        ),
        (
            json!({"op": "send", "invitation": true, "bytes": 5}),
            "invitation",
        ),
        (
            json!({"op": "delivery", "within_s": 0.0}),
            "within_s must be",
        ),
        (json!({"op": "page", "entries": 5000}), "entries must be"),
    ] {
        let sentence = Step::compile(&options).unwrap_err();
        assert!(sentence.contains(part), "{options}: {sentence}");
    }
}
