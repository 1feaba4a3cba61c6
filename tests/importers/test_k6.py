"""Scripts of k6 become journeys that hold on a real server."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, abort, jsonify, request
from player import Player

from headcount.cli import run_line
from headcount.errors import ExitCode, InputError
from headcount.importers.journey import Journey
from headcount.importers.k6 import k6_journey
from headcount.importers.workload_text import workload_text

SHOP = """
import http from 'k6/http';
import { check, sleep, group } from 'k6';

/* the load */
export const options = {
  stages: [{ duration: '30s', target: 20 }],
  thresholds: { http_req_duration: ['p(95)<500', 'avg<200'], http_req_failed: ['rate<0.01'] },
};
const BASE = 'ADDRESS';

export function setup() {
  if (true) { return { a: 1 }; }
}

export default function () {
  const login = http.post(`${BASE}/login`, { user: 'ada', password: 'hunter2x' });
  check(login, { 'logged in': (r) => r.status === 200 && r.body.includes('token') });
  const token = login.json('auth.token');
  const params = { headers: {
    Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } };
  sleep(1.5);
  group('order', function () {
    const made = http.post(BASE + '/orders', JSON.stringify({ sku: 'a', quantity: 2 }), params);
    check(made, {
      created: (r) => r.status == 201,
      open: r => r.json().status === 'open',
      fast: (r) => r.timings.duration < 200,
    });
    const data = made.json();
    http.get(`${BASE}/orders/${data.id}`, params);
  });
  http.batch([['GET', `${BASE}/a`], ['GET', `${BASE}/b`]]);
  for (let i = 0; i < 3; i++) {
    http.get(BASE);
  }
  sleep(Math.random() * 3);
}
"""


def server() -> Flask:
    app = Flask("api")

    @app.post("/login")
    def log_in():
        right = request.form.to_dict() == {"user": "ada", "password": "hunter2x"}
        return jsonify(auth={"token": "t-1"}) if right else abort(401)

    @app.post("/orders")
    def order():
        right = request.get_json() == {"sku": "a", "quantity": 2}
        return (jsonify(id=8128, status="open"), 201) if right else abort(400)

    @app.get("/orders/8128")
    def show():
        right = request.headers.get("Authorization") == "Bearer t-1"
        return "fine" if right else abort(401)

    @app.get("/a")
    @app.get("/b")
    def resource():
        return "fine"

    return app


def imported(tmp_path: Path, text: str) -> tuple[Journey, dict[str, Any], str]:
    path = tmp_path / "shop.js"
    path.write_text(text, "utf-8")
    journey = k6_journey(path)
    written = workload_text(journey)
    return journey, tomllib.loads(written), written


def test_a_script_can_be_played(tmp_path: Path, served: Callable[[Flask], str]) -> None:
    address = served(server())
    journey, workload, text = imported(tmp_path, SHOP.replace("ADDRESS", address))
    assert "hunter2x" not in text
    player = Player(address, {"SHOP_USER_PASSWORD": "hunter2x"})
    player.play(workload)
    assert player.played == ["post-login", "post-orders", "orders", "a", "b"]
    steps = workload["scenarios"][0]["steps"]
    assert steps[1] == {"pause": "1.5s"}
    assert steps[2]["expect"] == 201
    assert steps[2]["check"] == [{"json": "$.status", "equals": "open"}]
    assert steps[3]["path"] == "/orders/{id}"
    assert workload["criteria"] == ["p95<=500ms", "errors<1%"]
    assert '"target": 20' in text
    left_out = "\n".join(journey.left_out)
    for part in (
        "function setup",
        'the check "fast"',
        "for (let i",
        "avg<200",
        "Math.random() * 3",
    ):
        assert part in left_out, left_out
    assert len(journey.left_out) == 5


FUNCTIONS = """
import http from 'k6/http';
import { check } from 'k6';
export const options = { scenarios: {
  buyers: { executor: 'constant-vus', vus: 3, exec: 'buy' },
  'window shoppers': { executor: 'constant-vus', exec: 'look' } } };
const BASE = 'http://shop.example';
function url(path) { return `${BASE}${path}`; }
function login(user) {
  const res = http.post(url('/login'), { user: user });
  seen(res);
  return res.json('token');
}
function seen(reply) { check(reply, { fine: (r) => r.status === 201 }); }
function unused() { http.get(BASE + '/unused'); while (true) { x(); } }
export function buy() {
  const token = login('ada');
  http.get(url('/cart'), { headers: { Authorization: `Bearer ${token}` } });
  login(Math.random());
}
export async function look() { http.get(`${BASE}/`); }
export default function () { http.get(`${BASE}/default`); }
export function handleSummary(data) { return {}; }
"""


def test_scenarios_play_functions_that_call_others(tmp_path: Path) -> None:
    journey, workload, text = imported(tmp_path, FUNCTIONS)
    buy, look = workload["scenarios"]
    assert (buy["name"], look["name"]) == ("buyers", "window-shoppers")
    first, cart = buy["steps"][:2]
    assert (first["path"], first["form"], first["expect"]) == ("/login", {"user": "ada"}, 201)
    (captured,) = first["capture"]
    assert first["capture"][captured] == {"json": "$.token"}
    assert cart["headers"] == {"Authorization": f"Bearer {{{captured}}}"}
    assert cart["path"] == "/cart"
    assert [one["path"] for one in look["steps"]] == ["/"]
    assert "unused" not in text
    assert [one for one in journey.left_out if "handleSummary" not in one] == [
        "line 10: const res = http.post(url('/login'), { user: user });",
        "line 14: function seen(reply) { check(reply, { fine: (r) => r.status === 201 }); }",
    ]


SCOPES = """
import http from 'k6/http';
import { check } from 'k6';
const BASE = 'http://shop.example';
function login(id) {
  const res = http.post(`${BASE}/login`, { user: id });
  const token = res.json('token');
  return token;
}
function show(id) { http.get(`${BASE}/items/${id}`); }
export default function () {
  const res = http.get(`${BASE}/first`);
  const id = res.json('id');
  const token = login('ada');
  show(5);
  check(res, { first: (r) => r.status === 203 });
  http.get(`${BASE}/orders/${id}?t=${token}`);
}
"""


def test_names_in_functions_are_their_own(tmp_path: Path) -> None:
    journey, workload, _ = imported(tmp_path, SCOPES)
    first, login, item, orders = workload["scenarios"][0]["steps"]
    assert journey.left_out == []
    assert (first["expect"], first["capture"]) == (203, {"id": {"json": "$.id"}})
    assert "expect" not in login
    assert login["form"] == {"user": "ada"}
    assert item["path"] == "/items/5"
    assert orders["path"] == "/orders/{id}?t={token}"


def test_a_function_can_change_a_name_outside(tmp_path: Path) -> None:
    text = """
import http from 'k6/http';
let token = 'old';
function login() { token = http.post('http://a.example/login').json('token'); }
function renew() { const res = http.post('http://a.example/new'); token = res.json('token'); }
function header() { return `Bearer ${token}`; }
export default function () {
  renew();
  const id = 5;
  http.get('http://a.example/x', { headers: { Authorization: header() } });
  http.get(`http://a.example/x/${id}`);
}
"""
    _, workload, _ = imported(tmp_path, text)
    renew, plain, other = workload["scenarios"][0]["steps"]
    assert renew["capture"] == {"token": {"json": "$.token"}}
    assert plain["headers"] == {"Authorization": "Bearer {token}"}
    assert other["path"] == "/x/5"


@pytest.mark.parametrize(
    "functions",
    [
        "function a() { b(); b(); }\nfunction b() { a(); a(); }",
        "function a() { a(); a(); a(); }",
        "function a(a) { http.get('http://a.example/x'); a(a); }",
    ],
)
def test_functions_that_call_themselves_end(tmp_path: Path, functions: str) -> None:
    journey, workload, _ = imported(tmp_path, f"{wrapped('a();')}\n{functions}")
    assert len(workload["scenarios"][0]["steps"]) <= 2000
    assert journey.left_out


def wrapped(statement: str) -> str:
    return (
        "import http from 'k6/http';\nexport default function () {\n"
        f"http.get('http://a.example/');\n{statement}\n}}"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "http.get(`http://a.example/${Math.random()}`);",
        "while (true) { http.get('http://a.example/x'); }",
        "const a = a;\nhttp.get(a);",
        "eval('x');",
        """const found = 'x'.match(/it's [^/"] "([^"]+)"/i);""",
        "http.post(open('/etc/passwd'));",
        "const { a } = http.get('http://a.example/x');",
    ],
)
def test_what_only_k6_can_run_is_listed(tmp_path: Path, statement: str) -> None:
    journey, workload, _ = imported(tmp_path, wrapped(statement))
    assert len(workload["scenarios"][0]["steps"]) == 1
    assert journey.left_out


def test_variables_of_the_environment_stay_there(tmp_path: Path) -> None:
    call = "http.get('http://a.example/x', { headers: { 'X-Key': __ENV.SHOP_KEY } });"
    _, workload, _ = imported(tmp_path, wrapped(call))
    assert workload["variables"] == {"shop_key": {"secret": "SHOP_KEY"}}
    assert workload["scenarios"][0]["steps"][1]["headers"] == {"X-Key": "{shop_key}"}


def test_the_length_of_a_list_is_listed(tmp_path: Path) -> None:
    call = (
        "const r = http.get('http://a.example/x');\n"
        "check(r, { full: (r) => r.json().items.length > 0, open: (r) => r.json().open === true });"
    )
    journey, workload, _ = imported(tmp_path, wrapped(call))
    assert workload["scenarios"][0]["steps"][1]["check"] == [{"json": "$.open", "equals": True}]
    assert journey.left_out == ['line 5: the check "full"']


def test_patterns_are_listed_and_divisions_read(tmp_path: Path) -> None:
    call = (
        "const r = http.get('http://a.example/x');\n"
        """const token = r.body.match(/name="t" value='([^']+)'/)[1];\n"""
        "const half = 4 / 2 / 1;\nhttp.get('http://a.example/y');"
    )
    journey, workload, _ = imported(tmp_path, wrapped(call))
    assert [one["path"] for one in workload["scenarios"][0]["steps"]] == ["/", "/x", "/y"]
    assert [one.partition(":")[0] for one in journey.left_out] == ["line 5", "line 6"]


def test_numbers_are_added_and_texts_joined(tmp_path: Path) -> None:
    call = "const page = 1 + 2;\nsleep(0.5 + 1);\nhttp.get('http://a.example/' + page + 1 + true);"
    _, workload, _ = imported(tmp_path, wrapped(call))
    _, pause, step = workload["scenarios"][0]["steps"]
    assert (pause, step["path"]) == ({"pause": "1.5s"}, "/31true")


def test_the_default_of_an_environment_variable_is_the_address(tmp_path: Path) -> None:
    text = "const BASE = __ENV.BASE || 'http://a.example';\n" + wrapped("http.get(`${BASE}/x`);")
    _, workload, _ = imported(tmp_path, text)
    assert [one["path"] for one in workload["scenarios"][0]["steps"]] == ["/", "/x"]


def test_parameters_that_are_not_read_are_listed(tmp_path: Path) -> None:
    call = "http.get('http://a.example/x', { cookies: { a: 'b' }, tags: { c: 'd' }, timeout: 9 });"
    journey, _, _ = imported(tmp_path, wrapped(call))
    assert journey.left_out == ["x: its parameter cookies"]


def test_a_log_on_in_the_address_is_a_secret(tmp_path: Path) -> None:
    call = "const pair = `ada:secretword`;\nhttp.get(`http://${pair}@a.example/x`);"
    _, workload, text = imported(tmp_path, wrapped(call))
    assert "secretword" not in text
    step = workload["scenarios"][0]["steps"][1]
    assert (step["path"], step["headers"]) == ("/x", {"Authorization": "Basic {token}"})


@pytest.mark.parametrize(
    ("body", "kind", "keys"),
    [
        (
            "JSON.stringify({ name: 'ada', password: 'hunter22' })",
            "application/json",
            {"json": {"name": "ada", "password": "{user_password}"}},
        ),
        (
            "'name=ada&password=hunter22'",
            "application/x-www-form-urlencoded",
            {"form": {"name": "ada", "password": "{user_password}"}},
        ),
        ("'just text'", "text/plain", {"body": "just text"}),
    ],
)
def test_a_password_in_a_named_body_is_not_written(
    tmp_path: Path, body: str, kind: str, keys: dict[str, Any]
) -> None:
    call = (
        f"const payload = {body};\nconst params = {{ headers: {{ 'Content-Type': '{kind}' }} }};\n"
        "http.post('http://a.example/login', payload, params);"
    )
    _, workload, text = imported(tmp_path, wrapped(call))
    assert "hunter22" not in text
    step = workload["scenarios"][0]["steps"][1]
    assert {key: step.get(key) for key in keys} == keys


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no export default function"),
        ("hello", "no export default function"),
        ("export default function () { http.get('http://a.example/');", "not closed"),
        ("const a = 'open\n", "line 1"),
        (wrapped("(" * 100_000), "not closed|JavaScript|no request"),
        ("`" * 3, "line 1"),
        ("export default function () { x(); }", "no request"),
    ],
)
def test_what_is_not_a_script_is_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        imported(tmp_path, text)


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "shop.js"
    path.write_text(SHOP.replace("ADDRESS", "https://shop.example"), "utf-8")
    output = tmp_path / "shop.toml"
    assert run_line(["import", "k6", str(path), "-o", str(output)]) == ExitCode.PASSED
    assert "Math.random() * 3" in capsys.readouterr().out
