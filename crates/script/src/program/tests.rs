use super::*;
use crate::values::Values;

/// What a script asks for, in order, if every step succeeds; and the user's values.
fn run(source: &str) -> (Vec<Next>, Scope) {
    let mut names = Names::default();
    let stock = names.set("stock").unwrap();
    let program = Program::compile("buy.lua", source, &["search", "buy"], &mut names).unwrap();
    let mut scope = Scope::outside(names.slots(), 7);
    scope.set(stock, "3");
    let mut running = program.begin().unwrap();
    let mut all = Vec::new();
    while all.len() < 50 {
        let next = running.go_on(Answer::Done, &mut scope, &mut |_| {});
        let is_last = matches!(next, Next::End | Next::Fail(_));
        all.push(next);
        if is_last {
            break;
        }
    }
    (all, scope)
}

fn failure(source: &str) -> String {
    match run(source).0.pop() {
        Some(Next::Fail(sentence)) => sentence,
        other => panic!("{other:?} of {source}"),
    }
}

const fn play(step: usize) -> Next {
    Next::Play {
        step,
        may_fail: false,
    }
}

#[test]
fn a_script_decides_which_steps_are_played() {
    let (all, _) = run("for i = 1, tonumber(vars.stock) - 1 do play('buy') end
         if vars.stock == '3' then pause(0.5) end
         play('search')");
    assert_eq!(
        all,
        [play(1), play(1), Next::Pause(0.5), play(0), Next::End]
    );
}

#[test]
fn values_go_both_ways() {
    let mut names = Names::default();
    let source = "vars.whole = 10 / 5
        vars.part = 1 / 4
        vars.text = ('a' .. vars.n):upper()
        vars.yes = vars.stock == nil
        vars.gone = 'x'
        vars.gone = nil";
    let program = Program::compile("a.lua", source, &[], &mut names).unwrap();
    names.set("stock").unwrap();
    assert_eq!(names.check(), Ok(()));
    let mut scope = Scope::outside(names.slots(), 7);
    let next = program
        .begin()
        .unwrap()
        .go_on(Answer::Done, &mut scope, &mut |_| {});
    assert_eq!(next, Next::End);
    let mut value = |name: &str| {
        let template = Template::parse(&format!("{{{name}}}"), &mut names).unwrap();
        template.render(&mut scope).ok()
    };
    assert_eq!(value("whole").as_deref(), Some("2"));
    assert_eq!(value("part").as_deref(), Some("0.25"));
    assert_eq!(value("text").as_deref(), Some("A7"));
    assert_eq!(value("yes").as_deref(), Some("true"));
    assert_eq!(value("gone"), None);
}

#[test]
fn attempt_returns_the_failure_of_a_step() {
    let mut names = Names::default();
    let source = "local ok, why = attempt('pay')
        if not ok then fail('not paid: ' .. why) end";
    let program = Program::compile("a.lua", source, &["pay"], &mut names).unwrap();
    let mut scope = Scope::outside(0, 0);
    let mut running = program.begin().unwrap();
    let next = running.go_on(Answer::Done, &mut scope, &mut |_| {});
    let expected = Next::Play {
        step: 0,
        may_fail: true,
    };
    assert_eq!(next, expected);
    let next = running.go_on(Answer::Failed("402"), &mut scope, &mut |_| {});
    assert_eq!(next, Next::Fail("check failed: not paid: 402".into()));
}

#[test]
fn mistakes_are_found_before_the_run() {
    for (source, part) in [
        (
            "play('searchh')",
            "a.lua:1: there is no step \"searchh\"; do you mean \"search\"?",
        ),
        ("\nif vars.x then", "a.lua:2: 'end' expected"),
        ("vars.n = 1", "a.lua:1: \"n\" is built in"),
        ("vars['a b'] = 1", "is not a variable name"),
    ] {
        let mut names = Names::default();
        let sentence = Program::compile("a.lua", source, &["search"], &mut names).unwrap_err();
        assert!(sentence.contains(part), "{sentence}");
    }
    let mut names = Names::default();
    names.set("token").unwrap();
    Program::compile("a.lua", "local a = vars.tokn", &[], &mut names).unwrap();
    let sentence = names.check().unwrap_err();
    let expected = "a.lua:1: no step captures or sets vars.tokn";
    assert!(sentence.starts_with(expected), "{sentence}");
    assert!(sentence.ends_with("do you mean \"token\"?"), "{sentence}");
}

#[test]
fn mistakes_during_the_run_name_their_line() {
    for (source, part) in [
        (
            "\nlocal a = nil + 1",
            "buy.lua:2: attempt to perform arithmetic on a nil value",
        ),
        (
            "total = 1",
            "buy.lua:1: \"total\" is not declared; write: local total",
        ),
        (
            "\n\nlocal n = 'stok'\nlocal a = vars.stock\nvars[n] = 1",
            "buy.lua:5: it has no variable \"stok\"; do you mean \"stock\"?",
        ),
        (
            "local n = 'stock'\nlocal a = vars.stock\nvars[n] = 1",
            "buy.lua:3: it sets \"stock\" without naming it; write: vars.stock = ...",
        ),
        (
            "local step = 'by'\nplay(step)",
            "there is no step \"by\"; do you mean \"buy\"?",
        ),
        (
            "vars.a = {}",
            "vars.a must be a text, a number or true or false, not a table",
        ),
        ("error('no luck')", "buy.lua:1: no luck"),
        ("error({})", "Lua failed: "),
        ("pause(-1)", "give seconds from 0"),
        ("pause('long')", "pause needs seconds"),
        ("play(nil)", "it needs a text, not nil"),
        ("json.decode('{')", "buy.lua:1: it is not JSON"),
        ("math.random(2, 1)", "the range is empty"),
        ("while true do end", "it goes on without playing a step"),
        (
            "pcall(function() while true do end end) while true do end",
            "goes on without",
        ),
        (
            "while true do pcall(function() while true do end end) end",
            "it goes on without playing a step",
        ),
        (
            "while true do xpcall(function() while true do end end, function(e) return e end) end",
            "it goes on without playing a step",
        ),
        (
            "setmetatable({}, { __gc = function() end })",
            "buy.lua:1: __gc is not there",
        ),
        ("local s = 'x' while true do s = s .. s end", "memory"),
    ] {
        let sentence = failure(source);
        assert!(sentence.contains(part), "{sentence} of {source}");
        assert!(!sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn a_script_is_sandboxed() {
    for name in [
        "io",
        "os",
        "require",
        "load",
        "loadfile",
        "dofile",
        "debug",
        "package",
        "collectgarbage",
        "coroutine",
        "rawset",
        "getmetatable",
        "_G",
        "loadstring",
        "string.dump",
        "native",
    ] {
        let (all, _) = run(&format!("if {name} ~= nil then fail('there') end"));
        assert_eq!(all, [Next::End], "{name}");
    }
    for source in [
        "string.upper = nil",
        "math.pi = 3",
        "json.decode = nil",
        "setmetatable(math, {})",
        "setmetatable(vars, {})",
        "setmetatable(string, nil)",
        "x = 1",
    ] {
        failure(source);
    }
    // What one user does has no effect on the next.
    run("pcall(function() string.upper = nil end) pcall(function() play = nil end)");
    assert_eq!(
        run("vars.a = ('a'):upper() play('buy')").0,
        [play(1), Next::End]
    );
}

#[test]
fn random_draws_are_repeatable() {
    let drawn = || {
        let source = "for i = 1, 20 do vars.all = (vars.all or '') .. math.random(6) .. ' ' end
            vars.unit = math.random()";
        let (_, scope) = run(source);
        let values: Vec<_> = (1..3)
            .map(|slot| scope.value(slot).unwrap().to_owned())
            .collect();
        values
    };
    let values = drawn();
    assert_eq!(values, drawn());
    let dice: Vec<u8> = values[0]
        .split_whitespace()
        .map(|die| die.parse().unwrap())
        .collect();
    assert!(dice.iter().all(|die| (1..=6).contains(die)) && dice.len() == 20);
    assert!((0.0..1.0).contains(&values[1].parse::<f64>().unwrap()));
}

#[test]
fn any_integer_can_be_drawn() {
    let source = "vars.a = math.type(math.random(0)) vars.b = math.random(0) ~= math.random(0)";
    let (all, scope) = run(source);
    assert_eq!(all, [Next::End]);
    let values = [1, 2].map(|slot| scope.value(slot).unwrap());
    assert_eq!(values, ["integer", "true"]);
}

#[test]
fn json_crypto_and_time_are_available() {
    let source = r#"
        local order = json.decode('{"items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 3}], "x": null}')
        local sum = 0
        for _, item in ipairs(order.items) do sum = sum + item.n end
        vars.sum = sum
        vars.none = order.x == nil
        vars.json = json.encode({ b = { 1, 2 }, a = "\u{e4}" })
        vars.hash = crypto.sha256("abc")
        vars.mac = crypto.hmac_sha256("key", "The quick brown fox jumps over the lazy dog")
        vars.base = crypto.base64(crypto.unhex("fbff")) .. crypto.base64url(crypto.unhex("fbff"))
        vars.recent = now() > 1.7e9"#;
    let mut names = Names::default();
    let program = Program::compile("a.lua", source, &[], &mut names).unwrap();
    let mut scope = Scope::outside(names.slots(), 0);
    let next = program
        .begin()
        .unwrap()
        .go_on(Answer::Done, &mut scope, &mut |_| {});
    assert_eq!(next, Next::End);
    let value = |name: &str| {
        let slot = names.of_slots().iter().position(|known| **known == *name);
        scope.value(slot.unwrap() as Slot).unwrap().to_owned()
    };
    assert_eq!(value("sum"), "5");
    assert_eq!(value("none"), "true");
    let written: serde_json::Value = serde_json::from_str(&value("json")).unwrap();
    assert_eq!(written, serde_json::json!({"b": [1, 2], "a": "\u{e4}"}));
    // FIPS 180-4, and the example for SHA-256 in Wikipedia's article on HMAC (RFC 2104).
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(value("hash"), hash);
    let mac = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
    assert_eq!(value("mac"), mac);
    assert_eq!(value("base"), "+/8=-_8");
    assert_eq!(value("recent"), "true");
}

#[test]
fn printed_lines_are_passed_on_up_to_a_limit() {
    let mut names = Names::default();
    let source = "print('a', 1, nil, vars.n) for i = 1, 500 do print(i) end";
    let program = Program::compile("a.lua", source, &[], &mut names).unwrap();
    let mut scope = Scope::outside(0, 4);
    let mut lines = Vec::new();
    program
        .begin()
        .unwrap()
        .go_on(Answer::Done, &mut scope, &mut |line| lines.push(line));
    assert_eq!(lines[0], "a\t1\tnil\t4");
    assert_eq!(lines.len(), 100);
    assert_eq!(scope.number(), 4);
}
