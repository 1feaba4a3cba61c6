"""Steps around a scenario are not timed, and always played: in a real application."""

import time
from pathlib import Path

import flask
import pytest

import wsgi_site
from headcount.bundle import reader
from processes import Headcount

WORKLOAD = """
name = "orders"
title = "Orders that are paid"
protocol = "http"
criteria = ["errors<90%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }
run = { duration = "3s", settle = "0s", ramp = "0s" }

[[scenarios]]
name = "pay"
weight = 1
limit = "30s"
setup = [
  { name = "order", op = "post", path = "/orders", expect = [201], capture.id.json = "$.id" },
]
steps = [{ name = "pay", op = "post", path = "/orders/{id}/payment" }]
teardown = [{ name = "remove", op = "delete", path = "/orders/{id}", expect = [204] }]
"""


class Shop:
    """Orders that take long to make; every third cannot be paid."""

    def __init__(self) -> None:
        self.orders: dict[str, bool] = {}
        self.made = 0

    def app(self) -> flask.Flask:
        """The application."""
        app = flask.Flask("orders")

        @app.post("/orders")
        def order() -> tuple[dict[str, str], int]:
            time.sleep(0.2)
            self.made += 1
            number = f"o{self.made}"
            self.orders[number] = False
            return {"id": number}, 201

        @app.post("/orders/<number>/payment")
        def pay(number: str) -> tuple[str, int]:
            assert number in self.orders
            return ("no", 402) if int(number[1:]) % 3 == 0 else ("paid", 200)

        @app.delete("/orders/<number>")
        def remove(number: str) -> tuple[str, int]:
            del self.orders[number]
            return "", 204

        return app


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "orders.toml"
    path.write_text(WORKLOAD, "utf-8")
    return path


def test_orders_are_made_paid_and_removed(headcount: Headcount, workload: Path) -> None:
    shop = Shop()
    with wsgi_site.served(shop.app()) as url:
        done = headcount.run("run", str(workload), "--target", url, "--users", "2", "--no-trial")
    assert done.code in (0, 1), done
    (level,) = reader.load(headcount.bundle).levels
    (scenario,) = level.scenarios
    steps = {one.name: one for one in level.steps}
    assert shop.made > 6
    assert shop.orders == {}, "every order was removed, also those that were not paid"
    assert scenario.failed > 0
    assert scenario.completed > scenario.failed
    assert steps["remove"].completed >= scenario.completed + scenario.failed - 2
    assert scenario.response is not None
    assert steps["order"].service is not None
    assert scenario.response.p50_ms < steps["order"].service.p50_ms / 2


def test_a_try_shows_the_steps_around_a_scenario(headcount: Headcount, workload: Path) -> None:
    shop = Shop()
    with wsgi_site.served(shop.app()) as url:
        done = headcount.run("try", str(workload), "--target", url)
    assert done.code == 0, done.out + done.err
    places = [done.out.index(f"pay / {name}") for name in ("order", "pay", "remove")]
    assert places == sorted(places)
    assert done.out.index("pay succeeded") > places[-1]
    assert shop.orders == {}


def test_mistakes_around_a_scenario_are_found(headcount: Headcount, workload: Path) -> None:
    text = WORKLOAD.replace('op = "delete"', 'op = "delet"').replace(
        "expect = [201]", "expct = 201"
    )
    workload.write_text(text, "utf-8")
    done = headcount.run("workloads", "check", str(workload))
    assert done.code == 2
    assert "scenarios.0.setup.0.expct" in done.err + done.out
    assert "scenarios.0.teardown.0.op" in done.err + done.out
    assert 'did you mean "delete"' in done.err + done.out
