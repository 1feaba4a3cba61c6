"""Web servers in plans: pages, `[client]`, and which of the lab's servers do what."""

from copy import deepcopy
from typing import Any

import pytest
from plan_cases import PLAN, WORKLOAD, plan, spoilt

from headcount import workloads
from headcount.errors import InputError
from headcount.plan.plan import Plan, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import is_here, parse
from headcount.plan.workload import Workload
from headcount.protocols.http import HttpClient, http_client
from headcount.protocols.pages import Pages

PAGES: dict[str, Any] = {
    "directories": ["", "a", "a/b"],
    "classes": [
        {"name": "small", "percent": 60, "sizes": [100, "1KiB"], "files": 5},
        {"name": "large", "percent": 20, "range": ["10KiB", "90KiB"], "files": 9},
        {"name": "made", "percent": 20, "sizes": [4000], "files": 50, "cgi": True},
    ],
}
WEB: dict[str, Any] = {
    **{key: value for key, value in WORKLOAD.items() if key != "data"},
    "protocol": "http",
    "pages": PAGES,
    "scenarios": [
        {
            "name": "read",
            "weight": 1,
            "limit": "1s",
            "steps": [{"name": "get", "op": "get", "page": "static"}],
        }
    ],
}


def web(path: str | None = None, value: Any = None) -> Workload:
    values = WEB if path is None else spoilt(path, value, WEB)
    return validate(Workload, deepcopy(values), "the workload")


def web_plan(target: str, workload: Workload, **more: Any) -> Plan:
    values = PLAN | {"target": target, "workload": workload.model_dump(exclude_none=True)} | more
    return validate(Plan, values, "the plan")


@pytest.mark.parametrize(
    ("text", "host", "port", "tls"),
    [
        ("http://web.example", "web.example", 80, False),
        ("https://web.example", "web.example", 443, True),
        ("http://127.0.0.1:8080/", "127.0.0.1", 8080, False),
        ("https://[::1]:8443/a/b~c", "::1", 8443, True),
        ("http://web.example/site/", "web.example", 80, False),
    ],
)
def test_addresses_of_web_servers(text: str, host: str, port: int, tls: bool) -> None:
    target = parse(text)
    assert (target.protocol, target.host, target.port, target.is_tls) == ("http", host, port, tls)
    assert (target.text, target.share, target.lab) == (text.rstrip("/"), None, None)
    assert parse(target.text) == target


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("http://ada:secret@web.example/", "a target has no user name and no password"),
        ("https://ada@web.example", "a target has no user name and no password"),
        ("http://web.example/?page=1", "comes a plain path, without spaces, ? or #"),
        ("http://web.example/#top", "comes a plain path"),
        ("http://web.example/a b", "comes a plain path"),
        ('http://web.example/"', "comes a plain path"),
        ("http://web.example/ä", "comes a plain path"),
        ("http://web.example:0", "the port must be from 1 to 65535"),
        ("http://web.example:99999/x", "the port must be from 1 to 65535"),
        ("http://", "cannot be read"),
        ("http:/web.example", "write http://web.example"),
        ("htp://web.example", 'no protocol "htp"; did you mean "http"?'),
    ],
)
def test_invalid_addresses_of_web_servers_are_refused(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert part in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["nginx", "apache"])
def test_web_servers_of_the_lab(name: str) -> None:
    target = parse(f"lab:{name}")
    assert (target.protocol, target.lab, target.is_tls) == ("http", name, False)
    assert is_here(target)


@pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.2", "[::1]"])
def test_names_of_this_machine(host: str) -> None:
    assert is_here(parse(f"http://{host}:8080/"))


DEFAULTS = {
    "certificate": "",
    "key": "",
    "verify_certificates": "on",
    "verify_name": True,
    "user": "",
    "auth": "basic",
    "clear_password": False,
    "connect": "",
    "server_name": "",
    "first_user": 0,
    "keep_alive": True,
    "http2": False,
    "http3": False,
    "receive_buffer": 0,
    "accept_gzip": False,
    "verify": 1.0,
    "resume_tls": False,
    "cookies": True,
    "new_visitors": False,
    "user_agent": "",
    "headers": {},
}


def test_defaults_are_those_of_a_browser() -> None:
    assert http_client({}).model_dump() == DEFAULTS
    assert list(DEFAULTS) == list(HttpClient.model_fields)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("user", "reader{n:03}", "reader{n:03}"),
        ("first_user", "100", 100),
        ("auth", "digest", "digest"),
        ("connect", "[::1]:8443", "[::1]:8443"),
        ("server_name", "shop.example", "shop.example"),
        ("keep_alive", "off", False),
        ("http2", "on", True),
        ("http3", "on", True),
        ("receive_buffer", "4096", 4096),
        ("accept_gzip", "on", True),
        ("verify", "off", 0.0),
        ("verify", "on", 1.0),
        ("verify", "10%", 0.1),
        ("verify", "0.25", 0.25),
        ("verify_certificates", "off", "off"),
        ("verify_certificates", "/etc/ca.pem", "/etc/ca.pem"),
        ("verify_name", "off", False),
        ("certificate", "/u.pem", "/u.pem"),
        ("resume_tls", "on", True),
        ("cookies", "off", False),
        ("new_visitors", "on", True),
        ("user_agent", "Mozilla/3.0", "Mozilla/3.0"),
        ("headers", "Accept-Language: de", {"Accept-Language": "de"}),
        ("headers", "A: x:y; z | B:2", {"A": "x:y; z", "B": "2"}),
        ("headers", "", {}),
    ],
)
def test_each_key(key: str, text: str, value: Any) -> None:
    assert http_client({key: text}).model_dump() == DEFAULTS | {key: value}


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"keepalive": "off"}, 'there is no such key; did you mean "keep_alive"?'),
        ({"keep_alive": "no"}, 'keep_alive: it is "no"; it can be on or off'),
        ({"receive_buffer": "65537"}, "receive_buffer:"),
        ({"verify": "110%"}, "verify: it is"),
        ({"verify": "some"}, "write it like 5% or 0.05"),
        ({"verify_certificates": ""}, "verify_certificates:"),
        ({"connect": "http://10.0.0.5"}, "write an address like 10.0.0.5:8443"),
        ({"connect": "10.0.0.5:0"}, "write an address like 10.0.0.5:8443"),
        ({"server_name": "a b"}, "server_name:"),
        ({"key": "/u.key"}, "a key without its certificate"),
        ({"headers": "no colon"}, 'write headers like "Accept-Language: de | X-Test: 1"'),
        ({"user": "a:b"}, "a user name cannot have a colon"),
        ({"user": "{n}{n}"}, "not a pattern of names"),
        ({"signing": "off"}, "signing: there is no such key"),
        ({"http2": "on", "keep_alive": "off"}, "HTTP/2 keeps its connections"),
        ({"http3": "on", "keep_alive": "off"}, "HTTP/3 keeps its connections"),
        ({"http2": "on", "http3": "on"}, "users speak one version"),
    ],
)
def test_mistakes_in_the_table(given: dict[str, str], part: str) -> None:
    with pytest.raises(InputError) as caught:
        web_plan("http://127.0.0.1:1", web(), client=given)
    assert part in str(caught.value)


def test_users_of_a_lab_server_cannot_connect_elsewhere() -> None:
    with pytest.raises(InputError, match="has connect, and lab:nginx is started by Headcount"):
        web_plan("lab:nginx", web(), client={"connect": "127.0.0.1"})


def test_the_engine_gets_only_what_it_knows() -> None:
    form = http_client({"verify_certificates": "off", "verify": "0.5"}).engine_form()
    assert form["verify_certificates"] is False
    assert form["verify"] == 0.5
    assert not {"user", "user_agent"} & set(form)
    assert (
        http_client({"verify_certificates": "/ca.pem"}).engine_form()["verify_certificates"]
        == "/ca.pem"
    )
    assert "verify_name" not in form
    assert http_client({"verify_name": "off"}).engine_form()["verify_name"] is False
    assert not {"auth", "certificate", "key"} & set(form)
    assert http_client({"auth": "digest"}).engine_form()["auth"] == "digest"
    shown = http_client({"certificate": "/u.pem", "key": "/u.key"}).engine_form()
    assert (shown["certificate"], shown["key"]) == ("/u.pem", "/u.key")
    assert http_client({"user_agent": "x"}).engine_form()["user_agent"] == "x"


def test_the_command_line_goes_before_the_workload() -> None:
    workload = web("client", {"keep_alive": "off", "cookies": "off"})
    made = resolve(workload, "lab:nginx", Overrides(users=1, client={"keep_alive": "on"}))
    assert made.client == {"keep_alive": "on", "cookies": "off"}
    assert resolve(workload, "lab:nginx", Overrides(users=1)).client == workload.client


def test_figures_of_pages() -> None:
    pages = Pages.model_validate(PAGES)
    # 3 directories of: 100, 1024, 100, 1024, 100 bytes, and 10, 20 ... 90 KiB.
    small, large = 3 * 100 + 2 * 1024, sum(range(10, 91, 10)) * 1024
    assert (pages.count, pages.files, pages.total_bytes) == (3, 42, 3 * (small + large))
    mean = (60 * small / 5 + 20 * large / 9 + 20 * 4000) / 100
    assert pages.mean_bytes() == pytest.approx(mean)
    assert pages.mean_bytes("cgi") == 4000
    assert pages.mean_bytes(["small"]) == pytest.approx(small / 5)
    assert (
        pages.text == "42 pages in 3 directories, 1.39 MB; 20% of the requests for any page "
        "are for CGI"
    )
    halved = pages.scaled(0.5)
    assert [len(one.sizes_bytes) for one in halved.classes] == [2, 4, 25]
    assert [one.sizes_bytes[-1] for one in halved.classes] == [1024, 90 * 1024, 4000]
    many = pages.model_copy(update={"directories": 40})
    assert (many.scaled(0.1).count, many.scaled(0.001).count) == (4, 1)
    assert many.scaled(1) == many
    few = {"name": "few", "percent": 1, "sizes": [1, 2, 3, 4, 5], "files": 3}
    named = Pages.model_validate({"directories": ["a"], "classes": [few]})
    assert named.scaled(0.5).files == 3, "never more than without --scale"


@pytest.mark.parametrize(
    ("path", "value", "part"),
    [
        ("pages.classes.0.sizes", [], "needs either sizes or a range"),
        ("pages.classes.1.sizes", [5], "needs either sizes or a range"),
        ("pages.classes.1.name", "small", "the names of the classes must differ"),
        ("pages.classes.0.name", "a-b", "pages.classes.0.name:"),
        ("pages.classes.0.sizes", ["1 cat"], "pages.classes.0.sizes.0:"),
        ("pages.directories", [], "directories needs at least one name"),
        ("pages.directories", 0, "pages.directories"),
        ("pages.alpha", 11, "pages.alpha:"),
        ("pages.classes", [], "pages.classes:"),
        ("pages.classes.0.percents", 1, 'did you mean "percent"?'),
        ("scenarios.0.steps.0.page", "dynamic", "it can be any, static, cgi, or a list of classes"),
        ("scenarios.0.steps.0.page", ["tiny"], "or a list of classes: small, large, made"),
        ("scenarios.0.steps.0.page", 5, "it can be any, static, cgi"),
        ("tree", {}, "tree"),
        ("protocol", "app", '[pages] is only for the protocol "http"'),
    ],
)
def test_mistakes_in_a_workload(path: str, value: Any, part: str) -> None:
    with pytest.raises(InputError) as caught:
        web(path, value)
    assert part in str(caught.value)


def test_pages_need_a_table_and_paths_do_not() -> None:
    values = {key: value for key, value in deepcopy(WEB).items() if key != "pages"}
    with pytest.raises(InputError, match=r"but there is no \[pages\] table"):
        validate(Workload, values, "the workload")
    values["scenarios"][0]["steps"] = [{"name": "get", "op": "get", "path": "/"}]
    assert validate(Workload, values, "the workload").asked == []
    none = spoilt("pages.classes.2.percent", 0, WEB)
    none["scenarios"][0]["steps"][0]["page"] = "cgi"
    with pytest.raises(InputError, match=r"but \[pages\] has no such page"):
        validate(Workload, none, "the workload")


@pytest.mark.parametrize(("page", "asks"), [("static", False), ("any", True), (["made"], True)])
def test_nginx_runs_no_cgi_programs(page: Any, asks: bool) -> None:
    workload = web("scenarios.0.steps.0.page", page)
    assert web_plan("lab:apache", workload).asks_for_cgi is asks
    if asks:
        with pytest.raises(InputError, match="give --target lab:apache"):
            web_plan("lab:nginx", workload)
    else:
        assert web_plan("lab:nginx", workload).pages == workload.pages


def test_other_protocols_have_no_pages() -> None:
    assert plan().pages is None
    assert not plan().asks_for_cgi
    with pytest.raises(InputError, match="its targets look like app://"):
        web_plan("http://127.0.0.1", validate(Workload, deepcopy(WORKLOAD), "it"))


def test_webbenchs_workloads_are_as_published() -> None:
    static, cgi20 = workloads.load("web-static"), workloads.load("web-cgi20")
    for one in (static, cgi20):
        assert one.run.ladder == [1, *range(4, 61, 4)]
        assert (one.run.duration, one.run.ramp, one.pace.time.mean) == ("300s", "30s", "0s")
        client = http_client(one.client)
        assert (client.keep_alive, client.receive_buffer) == (False, 4096)
        pages = one.pages
        assert pages is not None
        assert isinstance(pages.directories, list)
        sizes = {size for part in pages.classes if not part.cgi for size in part.sizes_bytes}
        assert (min(sizes), max(sizes)) == (256, 128 * 1024)
        depths = [name.count("/") + bool(name) for name in pages.directories]
        # The home directory, ten others, and below one of them two levels.
        assert sorted(depths) == [0, *[1] * 10, 2, 3]
        steps = [[step.op for step in scenario.steps] for scenario in one.scenarios]
        assert all(ops == ["connect", "request", "receive", "disconnect"] for ops in steps)
    assert static.pages == cgi20.pages
    assert static.asked == ["static"]
    weights = {scenario.name: scenario.weight for scenario in cgi20.scenarios}
    assert weights["cgi"] / sum(weights.values()) == pytest.approx(0.2)


def test_specweb96s_classes_are_as_published() -> None:
    pages = workloads.load("web-mix").pages
    assert pages is not None
    assert [one.percent for one in pages.classes] == [35, 50, 14, 1]
    for index, one in enumerate(pages.classes):
        assert one.sizes_bytes == [1024 * step * 10**index // 10 for step in range(1, 10)]
    assert pages.alpha == 1
    assert pages.total_bytes / pages.count == pytest.approx(5e6, rel=0.05)
