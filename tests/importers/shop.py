"""A real shop of one file: forms with CSRF tokens, a JSON API with bearer tokens, redirects."""

import secrets
from functools import wraps

from flask import Flask, Response, abort, jsonify, make_response, redirect, request, session

PASSWORD = "correct horse 7"  # noqa: S105 - of a shop that only tests visit
PAGE = "<!doctype html><title>Shop</title><link rel=stylesheet href=/static.css>"


def shop() -> Flask:  # noqa: C901 - its views
    """A shop whose tokens, sessions and numbers are new each time it starts."""
    app = Flask("shop", static_folder=None)
    app.secret_key = secrets.token_bytes(16)
    tokens: set[str] = set()
    orders: dict[str, dict[str, object]] = {}
    skus = {name: f"sku-{secrets.token_hex(5)}" for name in ("chair", "table", "lamp")}

    def csrf() -> str:
        return session.setdefault("csrf", secrets.token_urlsafe(24))

    def checked(view):
        @wraps(view)
        def inner(**arguments):
            if request.form.get("csrf_token") != session.get("csrf"):
                abort(400, "wrong CSRF token")
            return view(**arguments)

        return inner

    @app.get("/")
    def home() -> str:
        return PAGE + "<h1>Shop</h1><a href=/login>log in</a><script src=/app.js></script>"

    @app.get("/static.css")
    def style() -> Response:
        return Response("h1 { color: green }", mimetype="text/css")

    @app.get("/app.js")
    def script() -> Response:
        return Response(SCRIPT, mimetype="text/javascript")

    @app.get("/login")
    def form() -> str:
        return (
            PAGE + "<form method=post><input type=hidden name=csrf_token "
            f'value="{csrf()}"><input name=email><input name=password type=password>'
            "<button>log in</button></form>"
        )

    @app.post("/login")
    @checked
    def log_in():
        if request.form["password"] != PASSWORD:
            abort(403)
        session["email"] = request.form["email"]
        session["csrf"] = secrets.token_urlsafe(24)
        return redirect("/account", 303)

    @app.get("/account")
    def account() -> str:
        if "email" not in session:
            abort(403)
        session["visit"] = secrets.token_hex(8)
        return (
            PAGE + f'<meta name="csrf-token" content="{csrf()}"><h1>Welcome</h1>'
            f"<a href='/offers?visit={session['visit']}'>offers</a><button id=buy>buy</button>"
            "<script src=/app.js></script>"
        )

    @app.get("/offers")
    def offers():
        if request.args.get("visit") != session.get("visit"):
            abort(400, "wrong visit")
        return (
            PAGE
            + "".join(f"<p data-sku={sku}>{name}</p>" for name, sku in skus.items())
            + f'<form method=post action=/cart><input type=hidden name=csrf_token value="{csrf()}">'
            f"<input type=hidden name=sku value={skus['lamp']}><input name=quantity value=1>"
            "<button>add</button></form>"
        )

    @app.post("/cart")
    @checked
    def cart():
        if request.form["sku"] not in skus.values():
            abort(400, "no such article")
        return redirect("/account", 302)

    @app.post("/api/token")
    def token():
        if request.headers.get("X-CSRF-Token") != session.get("csrf"):
            abort(400, "wrong CSRF token")
        given = secrets.token_urlsafe(32)
        tokens.add(given)
        return jsonify(auth={"access_token": given, "kind": "bearer"})

    def bearer() -> None:
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in tokens:
            abort(401)

    @app.get("/api/articles")
    def articles():
        bearer()
        return jsonify(articles=[{"name": name, "sku": sku} for name, sku in skus.items()])

    @app.post("/api/orders")
    def order():
        bearer()
        sent = request.get_json()
        if sent["sku"] not in skus.values() or sent["note"] is not None:
            abort(400)
        number = secrets.token_hex(6)
        orders[number] = sent
        return make_response(jsonify(id=number, status="open"), 201)

    @app.get("/api/orders/<number>")
    def show(number: str):
        bearer()
        return jsonify(orders[number]) if number in orders else abort(404)

    @app.put("/api/orders/<number>")
    def pay(number: str):
        bearer()
        if number not in orders or request.get_json() != {"order": number, "paid": True}:
            abort(400)
        return jsonify(status="paid")

    return app


SCRIPT = """
const buy = document.getElementById('buy');
if (buy) buy.onclick = async () => {
  const csrf = document.querySelector('meta[name=csrf-token]').content;
  const token = (await (await fetch('/api/token',
    {method: 'POST', headers: {'X-CSRF-Token': csrf}})).json()).auth.access_token;
  const headers = {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'};
  const found = await (await fetch('/api/articles?_=' + Date.now(), {headers})).json();
  const order = await (await fetch('/api/orders', {method: 'POST', headers,
    body: JSON.stringify({sku: found.articles[1].sku, quantity: 2, note: null})})).json();
  await fetch('/api/orders/' + order.id, {headers});
  await fetch('/api/orders/' + order.id, {method: 'PUT', headers,
    body: JSON.stringify({order: order.id, paid: true})});
  document.body.dataset.done = 'yes';
};
"""
