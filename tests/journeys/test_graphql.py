"""The journey of `examples/journeys/graphql-shop.toml`, in a real GraphQL server (Ariadne)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ariadne
import pytest
from ariadne.wsgi import GraphQL

import wsgi_site
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "graphql-shop.toml"
SCHEMA = """
type Product { id: ID!, name: String!, price: Float! }
type Order { id: ID!, quantity: Int! }
type Query { products(word: String!): [Product!]! }
type Mutation { order(product: ID!, quantity: Int!): Order }
"""


class Shop:
    """The shop with what it remembers.

    Attributes:
        orders: Product and quantity of each.
        is_sold_out: Whether orders fail, which GraphQL says with status 200.

    """

    def __init__(self) -> None:
        self.orders: list[tuple[str, int]] = []
        self.is_sold_out = False
        query, mutation = ariadne.QueryType(), ariadne.MutationType()
        query.set_field("products", self._products)
        mutation.set_field("order", self._order)
        self.app = GraphQL(ariadne.make_executable_schema(SCHEMA, query, mutation), logger="quiet")

    def _products(self, _parent: object, _info: object, word: str) -> list[dict[str, object]]:
        return [{"id": f"{word}-{n}", "name": f"A {word}", "price": 9.5 * n} for n in range(1, 4)]

    def _order(
        self, _parent: object, _info: object, product: str, quantity: int
    ) -> dict[str, object]:
        if self.is_sold_out:
            raise ValueError("sold out")
        self.orders.append((product, quantity))
        return {"id": str(len(self.orders)), "quantity": quantity}


@pytest.fixture
def shop() -> Iterator[tuple[Shop, str]]:
    """A shop that is served, and its address."""
    shop = Shop()

    def application(environment: dict[str, Any], start: Any) -> Any:
        environment["PATH_INFO"] = environment["PATH_INFO"].removeprefix("/graphql") or "/"
        return shop.app(environment, start)

    with wsgi_site.served(application) as url:
        yield shop, url


def test_one_user_tries_it(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    server, url = shop
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code == 0, done.out + done.err
    ((product, quantity),) = server.orders
    assert product.split("-")[0] in ("lamp", "chair", "table")
    assert quantity in (1, 2, 3)


def test_many_users_order(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    server, url = shop
    options = ("--users", "10", "--duration", "5s", "--settle", "2s", "--think", "0.2s", "--json")
    done = headcount.run("run", str(JOURNEY), "--target", url, *options)
    levels = json.loads((Path(done.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert levels[0]["scenarios"][0]["failed"] == 0, done.out + done.err
    assert len(server.orders) >= levels[0]["scenarios"][0]["completed"] > 5
    assert len({product for product, _ in server.orders}) > 3


def test_an_error_with_status_200_fails(headcount: Headcount, shop: tuple[Shop, str]) -> None:
    server, url = shop
    server.is_sold_out = True
    done = headcount.run("try", str(JOURNEY), "--target", url)
    assert done.code != 0
    assert "check failed: json $.errors is there" in done.out
    assert "sold out" in done.out
