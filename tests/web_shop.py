"""A small web shop of Flask: a form with a token, log-in, bearer tokens, orders as JSON."""

import hmac
import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import flask

import wsgi_site

PAGE = """<!doctype html><title>Shop</title><form method="post" action="/login">
<input type="hidden" name="csrf" value="{csrf}"><input name="user"><input name="password"></form>"""


COUNTS = (2, 12, 0, 9, 3)
"""How many there are of each thing."""
SIGNING_KEY = "open sesame"


class Shop:
    """The shop with what it remembers. Passwords are the users' names backwards.

    Attributes:
        requests: How often each path pattern was asked for.
        orders: Every order by its number, with the user who made it.
        is_down: Whether it answers 200 and says that its database is down.
        restocked: The lines of each order of stock.

    """

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.orders: dict[int, dict[str, object]] = {}
        self.tokens: dict[str, str] = {}
        self.is_down = False
        self.restocked: list[list[dict[str, object]]] = []
        self._lock = threading.Lock()
        self.app = self._made()

    def _made(self) -> flask.Flask:
        app = flask.Flask("shop")
        app.secret_key = secrets.token_hex(16)

        @app.before_request
        def count() -> str | None:
            with self._lock:
                self.requests[f"{flask.request.method} {flask.request.url_rule}"] += 1
            return "database is down" if self.is_down else None

        app.get("/")(self._form)
        app.post("/login")(self._log_in)
        app.get("/products")(self._products)
        app.post("/api/orders")(self._order)
        app.get("/api/orders/<int:number>")(self._look)
        app.post("/upload")(self._upload)
        app.get("/api/stock")(self._stock)
        app.post("/api/restock")(self._restock)
        return app

    def _form(self) -> str:
        flask.session["csrf"] = secrets.token_urlsafe(12)
        return PAGE.format(csrf=flask.session["csrf"].replace("-", "&#45;"))

    def _log_in(self) -> flask.typing.ResponseReturnValue:
        form = flask.request.form
        if form.get("csrf") != flask.session.get("csrf"):
            return "the form's token is wrong", 403
        user = form["user"]
        if form["password"] != user[::-1]:
            return "wrong password", 200
        flask.session["user"] = user
        return flask.redirect("products?from=login", 303)

    def _products(self) -> flask.typing.ResponseReturnValue:
        if "user" not in flask.session:
            return flask.redirect("/")
        token = secrets.token_hex(16)
        with self._lock:
            self.tokens[token] = flask.session["user"]
        items = "".join(f'<li data-sku="sku-{n}">Thing {n}</li>' for n in range(1, 4))
        page = f'<h1>Hello {flask.session["user"]}</h1><meta name="token" content="{token}">'
        return f"{page}<ul>{items}</ul>"

    def _order(self) -> flask.typing.ResponseReturnValue:
        token = flask.request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.tokens:
            return {"error": "no such token"}, 401
        order = flask.request.get_json()
        if not isinstance(order["quantity"], int):
            return {"error": "quantity must be a number"}, 422
        with self._lock:
            number = len(self.orders) + 1
            self.orders[number] = {**order, "user": self.tokens[token], "looks": 0}
        return {"id": number, "status": "open", "items": [{"sku": order["sku"]}]}, 201

    def _look(self, number: int) -> flask.typing.ResponseReturnValue:
        order = self.orders[number]
        with self._lock:
            order["looks"] = looks = int(str(order["looks"])) + 1
        return {"id": number, "status": "done" if looks > 2 else "open"}

    def _stock(self) -> flask.typing.ResponseReturnValue:
        return [{"sku": f"sku-{n}", "count": count} for n, count in enumerate(COUNTS)]

    def _restock(self) -> flask.typing.ResponseReturnValue:
        body = flask.request.get_data()
        right = hmac.new(SIGNING_KEY.encode(), body, "sha256").hexdigest()
        if not hmac.compare_digest(flask.request.headers.get("X-Signature", ""), right):
            return {"error": "wrong signature"}, 403
        with self._lock:
            if self.requests["POST /api/restock"] % 5 == 1:
                return {"error": "somebody else was quicker"}, 409
            self.restocked.append(flask.request.get_json())
        return {"status": "ordered"}, 201

    def _upload(self) -> flask.typing.ResponseReturnValue:
        file = flask.request.files["file"]
        return {
            "name": file.filename,
            "bytes": len(file.read()),
            "note": flask.request.form["note"],
        }


@contextmanager
def served(shop: Shop) -> Iterator[str]:
    """Serve the shop on a free port; gives its address."""
    with wsgi_site.served(shop.app) as url:
        yield url
