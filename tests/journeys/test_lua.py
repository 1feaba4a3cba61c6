"""The journey of `examples/journeys/stock-keeper.toml`: Lua that decides, computes and signs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount
from web_shop import SIGNING_KEY, Shop, served

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "stock-keeper.toml"
LUA = JOURNEY.with_name("restock.lua")
KEY = {"SHOP_SIGNING_KEY": SIGNING_KEY}
MISSING = [("sku-0", 8), ("sku-2", 10), ("sku-3", 1), ("sku-4", 7)]
"""What is missing of ten things each."""


@pytest.fixture
def shop() -> Iterator[tuple[Shop, str]]:
    """A shop that is served, and its address."""
    shop = Shop()
    with served(shop) as url:
        yield shop, url


def test_one_user_tries_it(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    application, url = shop
    done = headcount.run("try", str(JOURNEY), "--target", url, **KEY)
    assert done.code == 0, done.out + done.err
    assert "< 409" in done.out
    assert "  stock was [" in done.out
    assert "restock succeeded" in done.out
    assert SIGNING_KEY not in done.out
    lines = [(line["sku"], line["quantity"]) for each in application.restocked for line in each]
    assert lines == MISSING
    assert [len(each) for each in application.restocked] == [3, 1]


def test_many_users_play_it(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    application, url = shop
    options = ("--users", "20", "--duration", "4s", "--settle", "1s", "--think", "0.5s")
    done = headcount.run("run", str(JOURNEY), "--target", url, *options, "--json", **KEY)
    assert done.code == 0, done.out + done.err
    bundle = Path(done.json["bundle"])
    level = json.loads((bundle / "levels.json").read_bytes())["levels"][0]
    restock = level["scenarios"][0]
    assert restock["completed"] > 20
    assert restock["failed"] == 0
    stock, order = level["steps"]
    assert (stock["name"], order["name"]) == ("stock", "order")
    # Each scenario has two orders, and sends again what is refused: a fifth, up to the edges.
    sent = 2 * restock["completed"] * 5 / 4
    assert order["completed"] == pytest.approx(sent, rel=0.1, abs=20)
    assert [len(each) for each in application.restocked].count(3) >= restock["completed"] - 20
    assert all(SIGNING_KEY not in path.read_text("utf-8") for path in bundle.glob("*.json"))
    assert "crypto.hmac_sha256" in (bundle / "plan.toml").read_text("utf-8")


def test_without_the_key_nothing_begins(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    _, url = shop
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code == 2
    assert "SHOP_SIGNING_KEY" in done.err


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('play("stock")', 'play("stok")', 'restock.lua:23: there is no step "stok"; do you mean'),
        ("vars.stock)", "vars.stck)", "restock.lua:5: no step captures or sets vars.stck"),
        ("return lines", "retrun lines", "restock.lua:10: "),
        ("vars.order =", "vars.now =", 'restock.lua:14: "now" is built in'),
    ],
)
def test_mistakes_are_named_before_the_run(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path, old: str, new: str, part: str
) -> None:
    _, url = shop
    code = LUA.read_text("utf-8")
    assert old in code
    (tmp_path / LUA.name).write_text(code.replace(old, new), "utf-8")
    workload = tmp_path / JOURNEY.name
    workload.write_bytes(JOURNEY.read_bytes())
    done = headcount.run("try", str(workload), "--target", url, **KEY)
    assert done.code == 2, done.out + done.err
    assert part in done.err
    assert "Traceback" not in done.err


def test_a_file_that_is_not_there_is_named(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path
) -> None:
    _, url = shop
    workload = tmp_path / JOURNEY.name
    workload.write_bytes(JOURNEY.read_bytes())
    done = headcount.run("try", str(workload), "--target", url, **KEY)
    assert done.code == 2
    assert "the Lua file restock.lua" in done.err
    assert "Traceback" not in done.err


def test_an_error_in_lua_has_its_line(
    headcount: Headcount, shop: tuple[Shop, str], tmp_path: Path
) -> None:
    _, url = shop
    workload = tmp_path / "own.toml"
    inline = '''[[scenarios.steps]]
lua = """
play("stock")
local total = vars.missing + 1
fail("never")
"""
'''
    text = JOURNEY.read_text("utf-8")
    text = text.replace('[[scenarios.steps]]\nlua = "restock.lua"\n', inline)
    text = text.replace('body = "{order}"', 'body = "{stock}"').replace("{signature}", "x")
    text = text.replace(
        "capture = { stock", "capture = { missing = { header = 'X-No', default = \"\" }, stock"
    )
    workload.write_text(text, "utf-8")
    done = headcount.run("try", str(workload), "--target", url, **KEY)
    assert done.code != 0
    assert "Lua failed: lua:2: attempt to add a 'string' with a 'number'" in done.out, done.out
