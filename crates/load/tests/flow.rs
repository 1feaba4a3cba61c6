//! Which steps of a scenario are played, and with which values.

mod talk;

use serde_json::{Value, json};

use talk::{mistake, play, say, words};

#[test]
fn branches_loops_and_values_are_played() {
    let one_round = json!({"variables": [{"name": "stock", "int": [2, 2]}], "steps": [
        {"if": {"value": "{stock}", "above": 1}, "then": [say("some")], "else": [say("none")]},
        {"if": {"value": "{stock}", "above": 2}, "then": [say("many")], "else": [say("few")]},
        {"if": {"value": "{stock}", "above": 2}, "then": [say("never")]},
        {"repeat": 2, "steps": [say("a"), {"repeat": 2, "steps": [say("b")]}]},
        {"repeat": 0, "steps": [say("never")]},
        {"set": {"total": "{stock}0", "stop": 5}},
        say("{total}{stop}"),
        {"page": "front", "steps": [say("{n}{iteration}")]},
    ]});
    let expected = ["some", "few", "a", "b", "b", "a", "b", "b", "205"];
    let words = words(&one_round);
    assert_eq!(words[..9], expected);
    assert_eq!(words[9..12], ["00", "some", "few"]);
    assert_eq!(words[19..20], ["01"]);
}

#[test]
fn a_loop_ends_when_its_condition_holds_or_fails() {
    let polls = json!({"steps": [
        {"set": {"rounds": ""}},
        {"repeat": {"until": {"value": "{rounds}", "equals": "xxx"}, "at_most": 5},
         "steps": [{"set": {"rounds": "{rounds}x"}}, say("{rounds}")]},
        say("done"),
    ]});
    assert_eq!(words(&polls)[..4], ["x", "xx", "xxx", "done"]);
    let endless = json!({"steps": [
        {"repeat": {"until": {"value": "{n}", "equals": 1}, "at_most": 3}, "steps": [say("no")]},
        say("never"),
    ]});
    let (heard, last) = play(&endless);
    assert!(
        heard.iter().all(|text| !text.starts_with("never")),
        "{heard:?}"
    );
    let scenario = &last.recorder.scenarios[0];
    assert_eq!((scenario.completed, scenario.failed), (0, 3));
    let faults: Vec<_> = last.recorder.faults.iter().collect();
    assert!(
        format!("{faults:?}").contains("after 3 rounds its condition was still not met"),
        "{faults:?}"
    );
}

#[test]
fn a_loop_that_plays_nothing_fails() {
    let nothing = json!({"repeat": 1_000_000, "steps": [{"set": {"x": "1"}}]});
    let steps = json!({"steps": [say("a"), {"repeat": 1_000_000, "steps": [nothing]}]});
    let (heard, last) = play(&steps);
    assert_eq!(heard.len(), 4, "{heard:?}"); // opened, and three scenarios
    assert_eq!(last.recorder.scenarios[0].failed, 3);
}

fn lua(code: &str, steps: &[Value]) -> Value {
    json!({"lua": code, "file": "talk.lua", "steps": steps})
}

#[test]
fn lua_decides_what_is_played() {
    let code = "
        for i = 1, tonumber(vars.stock) do vars.word = 'w' .. i play('say') end
        play('front')
        if not attempt('fail') then vars.word = 'failed' play('say') end";
    let steps = [
        json!({"name": "say", "say": "{word}"}),
        json!({"page": "front", "steps": [say("a"), {"if": {"value": "{n}", "equals": 0}, "then": [say("b")]}]}),
        json!({"name": "fail", "say": "f", "fails": true}),
    ];
    let plan = json!({"variables": [{"name": "stock", "int": [2, 2]}],
                      "steps": [say("first"), lua(code, &steps), say("last{word}")]});
    let (heard, last) = play(&plan);
    assert!(heard[0] == "opened", "{heard:?}");
    let expected = [
        "first",
        "w1",
        "w2",
        "a",
        "b",
        "f",
        "failed",
        "lastfailed",
        "first",
    ];
    assert_eq!(words(&plan)[..9], expected);
    let scenario = &last.recorder.scenarios[0];
    assert_eq!((scenario.completed, scenario.failed), (3, 0));
    let failed: u64 = last.recorder.steps.iter().map(|step| step.failed).sum();
    assert_eq!(failed, 3);
}

#[test]
fn lua_pauses_and_fails() {
    let plan = json!({"steps": [lua("play('a') pause(0.25) play('a') fail('sold out')", &[say("a")]),
                                say("never")]});
    let (heard, last) = play(&plan);
    assert_eq!(heard[..4], ["opened", "a@0", "a@250", "a@1250"]);
    assert_eq!(last.recorder.scenarios[0].failed, 2);
    let faults: Vec<_> = last.recorder.faults.iter().collect();
    assert!(format!("{faults:?}").contains("sold out"), "{faults:?}");
    for steps in [
        json!([
            lua(
                "play('a')",
                &[json!({"name": "a", "say": "a", "fails": true})]
            ),
            say("never")
        ]),
        // A user without a session cannot go on, whatever the code does.
        json!([lua(
            "attempt('a') play('a')",
            &[json!({"name": "a", "say": "a", "ends": true})]
        )]),
        json!([
            lua("attempt('a')", &[say("a")]),
            json!({"name": "b", "say": "b", "fails": true}),
            say("never")
        ]),
    ] {
        let (heard, last) = play(&json!({"steps": steps}));
        let never = heard.iter().any(|text| text.starts_with("never"));
        assert!(!never, "{heard:?} of {steps}");
        assert_eq!(last.recorder.scenarios[0].failed, 3, "{heard:?} of {steps}");
    }
}

#[test]
fn long_sentences_of_lua_are_cut() {
    let plan = json!({"steps": [lua("fail(('no\\n'):rep(1000))", &[])]});
    let (_, last) = play(&plan);
    let faults: Vec<_> = last.recorder.faults.values().collect();
    let sentence = &faults[0].examples[0];
    assert!(
        sentence.len() <= 200 && !sentence.contains('\n'),
        "{sentence}"
    );
}

#[test]
fn lua_goes_on_after_a_page_whose_loop_fails() {
    let until = json!({"until": {"value": "{n}", "equals": 1}, "at_most": 2});
    let poll = json!({"page": "poll", "steps": [{"repeat": until, "steps": [say("no")]}]});
    let tell = json!({"name": "tell", "say": "{why}"});
    let code = "local ok, why = attempt('poll') vars.why = tostring(ok) .. why play('tell')";
    let plan = json!({"steps": [lua(code, &[poll, tell]), say("end")]});
    let heard = words(&plan);
    assert_eq!(heard[..2], ["no", "no"]);
    assert!(
        heard[2].starts_with("falseafter 2 rounds its condition"),
        "{heard:?}"
    );
    assert_eq!(heard[3], "end");
}

#[test]
fn lua_that_attempts_nothing_for_ever_fails() {
    let page = json!({"page": "nothing", "steps": [{"set": {"x": "{x}"}}]});
    let plan = json!({"steps": [lua("while true do attempt('nothing') end", &[page])]});
    let (_, last) = play(&plan);
    assert_eq!(last.recorder.scenarios[0].failed, 3);
}

#[test]
fn lua_that_plays_nothing_fails() {
    let plan = json!({"steps": [lua("while true do pause(0) end", &[])]});
    let (_, last) = play(&plan);
    assert_eq!(last.recorder.scenarios[0].failed, 3);
}

#[test]
fn mistakes_in_lua_are_named() {
    let inner = lua("", &[]);
    for (steps, part) in [
        (
            json!([lua("play('b')", &[say("a")])]),
            "step \"lua\": talk.lua:1: there is no step \"b\"",
        ),
        (
            json!([lua("", &[say("a"), say("a")])]),
            "it has two steps \"a\"",
        ),
        (
            json!([lua("", &[json!({"pause": {"draw": "fixed", "s": 1.0}})])]),
            "needs a name",
        ),
        (
            json!([lua("", &[json!({"page": "p", "steps": [inner]})])]),
            "cannot be among",
        ),
        (
            json!([lua("local a = vars.tokn", &[])]),
            "talk.lua:1: no step captures or sets vars.tokn",
        ),
        (json!([lua("if", &[])]), "talk.lua:1: unexpected symbol"),
    ] {
        let sentence = mistake(&json!({"steps": steps}));
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn choices_follow_their_weights() {
    let steps = json!({"steps": [{"repeat": 1000, "steps": [{"choose": [
        {"weight": 3, "steps": [say("often")]},
        {"weight": 1, "steps": [say("seldom"), say("seldom")]},
        {"weight": 0, "steps": [say("never")]},
    ]}]}]});
    let words = words(&steps);
    let count = |word: &str| words.iter().filter(|text| *text == word).count() as f64;
    let share = count("often") / (count("often") + count("seldom") / 2.0);
    assert!((share - 0.75).abs() < 0.05, "{share}");
    assert!(count("never").abs() < 0.5);
}

#[test]
fn pauses_count_towards_no_response_time() {
    let steps = json!({"steps": [
        say("a"), {"pause": {"draw": "fixed", "s": 0.7}}, say("b"),
    ]});
    let (heard, last) = play(&steps);
    let expected = ["opened", "a@0", "b@700", "a@1700", "b@2400"];
    assert_eq!(heard, expected);
    assert_eq!(last.recorder.scenarios[0].response_ns / 1_000_000, 0);
}

#[test]
fn users_who_leave_skip_pauses() {
    let steps = json!({"steps": [
        say("a"), {"pause": {"draw": "fixed", "s": 3.0}}, say("b"),
        {"pause": {"draw": "fixed", "s": 3.0}}, say("c"),
    ]});
    let (heard, _) = play(&steps);
    assert_eq!(heard, ["opened", "a@0", "b@2500", "c@2500"]);
}

#[test]
fn users_who_leave_still_pause_in_a_loop_that_waits() {
    let until = json!({"until": {"value": "{n}", "equals": 1}, "at_most": 1000});
    let steps = json!({"steps": [
        {"repeat": until, "steps": [say("poll"), {"pause": {"draw": "fixed", "s": 0.5}}]},
    ]});
    let (heard, _) = play(&steps);
    assert!((20..40).contains(&heard.len()), "{heard:?}");
}

#[test]
fn a_new_session_begins_with_the_setup() {
    let plan = json!({
        "variables": [{"name": "who", "text": "user{n}"}],
        "setup": [say("{who} logs on"), {"set": {"token": "t{iteration}"}}],
        "steps": [say("{token}"), {"name": "lost", "say": "lost", "ends": true}],
    });
    let (heard, last) = play(&plan);
    let round = |token: &str, at: u32| {
        let texts = ["user0 logs on", token, "lost"].map(|text| format!("{text}@{at}"));
        [vec!["opened".to_owned()], texts.to_vec()].concat()
    };
    assert_eq!(
        heard,
        [round("t0", 0), round("t1", 1000), round("t2", 2000)].concat()
    );
    assert_eq!(last.recorder.sessions_opened, 3);
    let plan = json!({
        "setup": [{"name": "denied", "say": "denied", "fails": true}], "steps": [say("never")],
    });
    let (heard, last) = play(&plan);
    assert_eq!(heard[..3], ["opened", "denied@0", "opened"]);
    assert_eq!(last.recorder.scenarios[0].failed, 3);
}

#[test]
fn a_user_without_a_row_fails_and_says_why() {
    let variables = json!([{"name": "who", "columns": ["name"], "rows": [["ada"], ["bob"]],
                            "order": "once"}]);
    let plan = json!({"variables": variables, "steps": [say("{who.name}")]});
    let (heard, last) = play(&plan);
    assert_eq!(heard, ["opened", "ada@0", "bob@1000"]);
    let faults: Vec<_> = last.recorder.faults.iter().collect();
    assert!(format!("{faults:?}").contains("the rows of the variable who have run out"));
}

#[test]
fn mistakes_name_scenario_and_entry() {
    for (steps, part) in [
        (json!([{"say": "a"}]), "an entry must be a step with a name"),
        (
            json!([{"if": {"value": "x"}, "then": []}]),
            "step \"if\": it has no condition",
        ),
        (json!([{"if": {"value": "x", "exists": true}}]), "it has if"),
        (
            json!([{"repeat": [3, 2], "steps": []}]),
            "step \"repeat\": the rounds must be",
        ),
        (
            json!([{"repeat": 1_000_001, "steps": []}]),
            "the rounds must be",
        ),
        (
            json!([{"choose": [{"weight": 0, "steps": []}]}]),
            "step \"choose\": weights",
        ),
        (json!([{"choose": []}]), "step \"choose\": weights"),
        (
            json!([{"pause": {"draw": "fixed", "s": -1}}]),
            "step \"pause\"",
        ),
        (
            json!([{"set": {"n": "1"}}]),
            "step \"set\": n: \"n\" is built in",
        ),
        (
            json!([say("{tokn}"), {"set": {"token": "1"}}]),
            "do you mean \"token\"?",
        ),
        (
            json!([say("{token")]),
            "scenario \"talk\", step \"{token\": \"{token\"",
        ),
    ] {
        let sentence = mistake(&json!({ "steps": steps }));
        assert!(sentence.contains(part), "{sentence}");
    }
    let declared = json!({"variables": [{"name": "a", "int": [2, 1]}], "steps": [say("x")]});
    assert!(mistake(&declared).starts_with("[variables] a: int must be"));
    let mut deep = say("x");
    for _ in 0..40 {
        deep = json!({"page": "p", "steps": [deep]});
    }
    assert!(mistake(&json!({ "steps": [deep] })).contains("more than 32 deep"));
}
