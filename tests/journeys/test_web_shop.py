"""The journey of `examples/journeys/web-shop.toml`, played in a real Flask application."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount
from web_shop import Shop, served

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "web-shop.toml"


@pytest.fixture
def shop() -> Iterator[tuple[Shop, str]]:
    """A shop that is served, and its address."""
    shop = Shop()
    with served(shop) as url:
        yield shop, url


def test_one_user_tries_all_of_it(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    application, url = shop
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code == 0, done.err
    for part in ("setup / log-in", "> POST /api/orders", '"quantity":', "order succeeded"):
        assert part in done.out
    assert "{customer.password} = ***" in done.out
    assert len(application.orders) == 1
    assert application.requests["GET /api/orders/<int:number>"] == 3


def test_users_play_it_with_own_accounts(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    application, url = shop
    options = ("--users", "6", "--duration", "4s", "--settle", "1s", "--think", "0.1s")
    done = headcount.run("run", str(JOURNEY), "--target", url, *options, "--json")
    assert done.code in (0, 1), done.out + done.err  # 1: too slow, as on a busy machine
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert [one["completed"] > 0 for one in levels[0]["scenarios"]] == [True, True]
    users = {str(order["user"]) for order in application.orders.values()}
    assert users <= {"ada", "bob", "cyd", "dan", "eve", "fay"}
    assert len(users) > 3
    quantities = {order["quantity"] for order in application.orders.values()}
    assert quantities <= {1, 2, 3, 4, 5}
    # Each user logs on once, and so does the one of the trial before.
    assert application.requests["POST /login"] <= 8


def test_an_answer_that_only_looks_right_fails(
    headcount: Headcount, shop: tuple[Shop, str]
) -> None:
    application, url = shop
    application.is_down = True
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "nothing to capture for csrf (css input[name=csrf] attribute value)" in done.out
    assert "does not work for one user" in done.err


def test_too_few_rows_are_an_error_before_the_run(
    headcount: Headcount, shop: tuple[Shop, str]
) -> None:
    _, url = shop
    done = headcount.run("run", str(JOURNEY), "--target", url, "--users", "11")
    assert done.code == 2
    assert "has 10 rows, and each of 11 users needs one of its own" in done.err


def test_a_file_is_sent_and_its_answer_checked(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path
) -> None:
    _, url = shop
    workload = tmp_path / "upload.toml"
    workload.write_text(
        """
name = "upload"
title = "Uploads"
protocol = "http"
criteria = ["errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "5s" }

[[scenarios]]
name = "upload"
weight = 1
limit = "1s"

[[scenarios.steps]]
name = "upload"
op = "post"
path = "/upload"
multipart = { note = "of {n}", file = { filename = "a.csv", content = "1,{n}" } }
check = [
  { json = "$.bytes", equals = 3 },
  { json = "$.name", equals = "a.csv" },
  { json = "$.note", equals = "of {n}" },
]
""",
        "utf-8",
    )
    done = headcount.run("try", str(workload), "--target", url)
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("Bearer {token}", "Bearer {tokn}", 'do you mean "token"?'),
        ('json = "$.id"', 'json = "id"', '"id" is not a JSON path'),
        ('file = "customers.csv"', 'file = "clients.csv"', "clients.csv"),
        ("at_most = 10", "at_most = 0", "at_most"),
        ('order = "unique"', 'order = "each"', "order"),
        ("{ int = [1, 5] }", "{ int = [5, 1] }", "lower number first"),
        ('contains = "Thing"', 'contain = "Thing"', "contain"),
        ("quantity = {", "password = {", "built in"),
    ],
)
def test_mistakes_are_named_before_the_run(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path, old: str, new: str, part: str
) -> None:
    _, url = shop
    text = JOURNEY.read_text("utf-8")
    assert old in text
    (tmp_path / "customers.csv").write_text("name,password\nada,ada\n", "utf-8")
    workload = tmp_path / "shop.toml"
    workload.write_text(text.replace(old, new), "utf-8")
    done = headcount.run("try", str(workload), "--target", url)
    assert done.code == 2, done.out + done.err
    assert part in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("headers.X-Note", "a\nb", "the value of the header x-note has a line break in it"),
        ("path", "https://other.test/x", "redirects to another server, https://other.test/x"),
    ],
)
def test_a_captured_value_that_cannot_be_sent_fails(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path, key: str, value: str, part: str
) -> None:
    _, url = shop
    workload = tmp_path / "odd.toml"
    path = "" if key == "path" else 'path = "/"'
    workload.write_text(
        f"""
name = "odd"
title = "Odd values"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "1s" }} }}
run = {{ duration = "5s" }}

[[scenarios]]
name = "odd"
weight = 1
limit = "1s"

[[scenarios.steps]]
set = {{ odd = {json.dumps(value)} }}

[[scenarios.steps]]
name = "odd"
op = "get"
{path}
{key} = "{{odd}}"
""",
        "utf-8",
    )
    done = headcount.run("try", str(workload), "--target", url)
    assert done.code != 0
    assert part in " ".join(done.out.split())
