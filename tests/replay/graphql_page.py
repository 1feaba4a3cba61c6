"""A single page that asks a GraphQL server with a bearer token, as applications of React do."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ariadne
from ariadne.wsgi import GraphQL
from playwright.sync_api import Page
from visited_site import Flow, Site

import wsgi_site

SCHEMA = """
type Product { id: ID!, name: String! }
type Order { id: ID!, product: ID!, quantity: Int!, status: String! }
type Session { accessToken: String! }
type Query { products(word: String!): [Product!]!, order(id: ID!): Order! }
type Mutation {
  logIn(email: String!, password: String!): Session!
  order(product: ID!, quantity: Int!): Order!
  cancel(id: ID!): Order!
}
"""
EMAIL, PASSWORD = "ada@shop.example", "correct horse 7"
PAGE = b"""<!doctype html><meta charset=utf-8><title>Lamps</title>
<script type=module src=/app.js></script>
<form id=login><input name=email><input name=password type=password><button>Log in</button></form>
<form id=search hidden><input name=word><button>Search</button></form><ul id=found></ul>
<p id=order></p>"""
SCRIPT = b"""
let token = null;
const ask = async (operationName, query, variables) => {
  const headers = {'Content-Type': 'application/json'};
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch('/graphql', {method: 'POST', headers,
    body: JSON.stringify({operationName, query, variables})});
  return (await reply.json()).data;
};
const values = form => Object.fromEntries(new FormData(form));
login.onsubmit = async event => {
  event.preventDefault();
  const data = await ask('LogIn', `mutation LogIn($email: String!, $password: String!) {
    logIn(email: $email, password: $password) { accessToken } }`, values(login));
  token = data.logIn.accessToken;
  login.hidden = true; search.hidden = false;
};
search.onsubmit = async event => {
  event.preventDefault();
  const data = await ask('Find', `query Find($word: String!) {
    products(word: $word) { id name } }`, values(search));
  found.innerHTML = '';
  for (const one of data.products) {
    const button = document.createElement('button');
    button.textContent = one.name;
    button.onclick = () => buy(one.id);
    found.append(button);
  }
};
const buy = async product => {
  let data = await ask('Order', `mutation Order($product: ID!, $quantity: Int!) {
    order(product: $product, quantity: $quantity) { id status } }`, {product, quantity: 2});
  const id = data.order.id;
  data = await ask('Look', `query Look($id: ID!) { order(id: $id) { id status } }`, {id});
  order.innerHTML = `${data.order.status} <button>Cancel</button>`;
  order.querySelector('button').onclick = async () => {
    const data = await ask('Cancel', `mutation Cancel($id: ID!) {
      cancel(id: $id) { status } }`, {id});
    order.textContent = data.cancel.status;
  };
};
"""


class Shop:
    """The shop with what it remembers: products and tokens are new each time it starts."""

    def __init__(self) -> None:
        self.orders: dict[str, dict[str, Any]] = {}
        self.tokens: set[str] = set()
        self.products = [
            {"id": secrets.token_hex(5), "name": f"{colour} lamp"} for colour in ("Red", "Blue")
        ]
        query, mutation = ariadne.QueryType(), ariadne.MutationType()
        query.set_field("products", self._products)
        query.set_field("order", self._look)
        mutation.set_field("logIn", self._log_in)
        mutation.set_field("order", self._order)
        mutation.set_field("cancel", self._cancel)
        schema = ariadne.make_executable_schema(SCHEMA, query, mutation)
        self._graphql = GraphQL(
            schema, context_value=lambda environment, _data: environment, logger="quiet"
        )

    def __call__(self, environment: dict[str, Any], start: Callable[..., Any]) -> Any:
        """Answer a request (WSGI)."""
        if environment["PATH_INFO"] == "/graphql":
            environment["PATH_INFO"] = "/"
            return self._graphql(environment, start)
        is_script = environment["PATH_INFO"] == "/app.js"
        kind = "text/javascript" if is_script else "text/html; charset=utf-8"
        start("200 OK", [("Content-Type", kind)])
        return [SCRIPT if is_script else PAGE]

    def _log_in(self, _parent: object, _info: object, email: str, password: str) -> dict[str, str]:
        if (email, password) != (EMAIL, PASSWORD):
            raise ValueError("wrong e-mail or password")
        token = secrets.token_urlsafe(24)
        self.tokens.add(token)
        return {"accessToken": token}

    def _check(self, info: Any) -> None:
        given = info.context.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        if given not in self.tokens:
            raise ValueError("no such token")

    def _products(self, _parent: object, info: Any, word: str) -> list[dict[str, str]]:
        self._check(info)
        return [one for one in self.products if word in one["name"]]

    def _order(self, _parent: object, info: Any, product: str, quantity: int) -> dict[str, Any]:
        self._check(info)
        if product not in {one["id"] for one in self.products}:
            raise ValueError("no such product")
        number = secrets.token_hex(6)
        made = {
            "id": number,
            "product": product,
            "quantity": quantity,
            "status": "open",
            "looks": 0,
        }
        self.orders[number] = made
        return made

    def _look(self, _parent: object, info: Any, id: str) -> dict[str, Any]:  # noqa: A002
        self._check(info)
        self.orders[id]["looks"] += 1
        return self.orders[id]

    def _cancel(self, _parent: object, info: Any, id: str) -> dict[str, Any]:  # noqa: A002
        self._check(info)
        self.orders[id]["status"] = "cancelled"
        return self.orders[id]


@contextmanager
def serve(_folder: Path) -> Iterator[Site]:
    """Serve the shop; its proof is the orders that were looked at and cancelled."""
    shop = Shop()

    def plays() -> int:
        orders = list(shop.orders.values())
        return sum(1 for one in orders if one["status"] == "cancelled" and one["looks"])

    with wsgi_site.served(shop) as url:
        yield Site(url, plays, {"PASSWORD": PASSWORD})


def visit(page: Page, url: str) -> None:
    """Log in, look for lamps, order the second, look at the order and cancel it."""
    page.goto(url)
    page.fill("[name=email]", EMAIL)
    page.fill("[name=password]", PASSWORD)
    page.click("text=Log in")
    page.fill("[name=word]", "lamp")
    page.click("text=Search")
    page.click("text=Blue lamp")
    page.click("text=Cancel")
    page.wait_for_selector("text=cancelled")


FLOW = Flow(serve, visit)
