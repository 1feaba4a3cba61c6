"""Sites that the packages of the tests bring: the Flask shop, Django, WsgiDAV."""

import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cheroot.wsgi import Server
from flask import request
from playwright.sync_api import Page
from visited_site import Flow, Site
from wsgidav.wsgidav_app import WsgiDAVApp

import wsgi_site
from django_site import PASSWORDS
from importers.shop import PASSWORD, shop

TESTS = Path(__file__).resolve().parents[1]


@contextmanager
def serve_shop(_folder: Path) -> Iterator[Site]:
    """Serve the Flask shop; its proof is the orders that were paid."""
    application = shop()
    paid: set[str] = set()

    @application.after_request
    def note(reply: Any) -> Any:
        if reply.is_json and reply.get_json() == {"status": "paid"}:
            paid.add(request.path)
        return reply

    with wsgi_site.served(application) as url:
        yield Site(url, lambda: len(paid), {"PASSWORD": PASSWORD})


def visit_shop(page: Page, url: str) -> None:
    """Log in, look at the offers, put a lamp into the cart, order, pay."""
    page.goto(url)
    page.click("text=log in")
    page.fill("[name=email]", "ada@shop.example")
    page.fill("[name=password]", PASSWORD)
    page.click("button")
    page.click("text=offers")
    page.click("button")
    page.click("#buy")
    page.wait_for_selector("[data-done]")


@contextmanager
def serve_django(folder: Path) -> Iterator[Site]:
    """Serve Django's admin; its proof is the admin's own log and that no book is left."""
    command = [sys.executable, str(TESTS / "replay" / "bookshop.py"), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def plays() -> int:
            with sqlite3.connect(folder / "site.sqlite3") as connection:
                log = connection.execute("SELECT object_id, action_flag FROM django_admin_log")
                acts = Counter(log.fetchall())
                kept = {str(one) for (one,) in connection.execute("SELECT id FROM books_book")}
            books = {one for one, _ in acts} - kept
            return sum(1 for one in books if all(acts[one, act] == 1 for act in (1, 2, 3)))

        try:
            secrets = {"PASSWORD": PASSWORDS["editor"]}
            yield Site(process.stdout.readline().strip(), plays, secrets)
        finally:
            process.stdin.close()
            process.wait(30)


def visit_django(page: Page, url: str) -> None:
    """Log in, add a book, find it in the list and change it, delete it, log out."""
    page.goto(f"{url}admin/")
    page.fill("[name=username]", "editor")
    page.fill("[name=password]", PASSWORDS["editor"])
    page.click("[type=submit]")
    page.click("a[href='/admin/books/book/add/']")
    page.fill("[name=title]", "A Room of One's Own")
    page.fill("[name=pages]", "112")
    page.fill("[name=published]", "1929-10-24")
    page.click("[name=_save]")
    page.click("#result_list a:text('Room')")
    page.fill("[name=pages]", "172")
    page.click("[name=_continue]")
    page.wait_for_selector(".success")
    page.click("a.deletelink")
    page.click("[type=submit]:has-text('sure')")
    page.wait_for_selector(".success")
    page.click("#logout-form button")
    page.wait_for_selector("text=Log in again")


@contextmanager
def serve_dav(folder: Path) -> Iterator[Site]:
    """Serve a folder of files; its proof is how often the text was sent to the user."""
    (folder / "files" / "letters").mkdir(parents=True)
    (folder / "files" / "letters" / "hello.txt").write_text("Dear Ada,\n" * 20, "ascii")
    sent: Counter[str] = Counter()
    configuration = {
        "provider_mapping": {"/": str(folder / "files")},
        "simple_dc": {"user_mapping": {"*": {"ada": {"password": PASSWORD}}}},
        "http_authenticator": {
            "accept_basic": True,
            "accept_digest": False,
            "default_to_digest": False,
        },
        "verbose": 0,
        "logging": {"enable_loggers": []},
    }
    dav = WsgiDAVApp(configuration)

    def noted(environment: dict[str, Any], start: Callable[..., Any]) -> Any:
        def started(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            is_text = environment["PATH_INFO"].endswith("hello.txt")
            if is_text and status == "200 OK" and ("Content-Length", "200") in headers:
                sent[environment["wsgidav.auth.user_name"]] += 1
            return start(status, headers, *more)

        return dav(environment, started)

    server = Server(("127.0.0.1", 0), noted, numthreads=8)
    server.prepare()
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield Site(
            f"http://127.0.0.1:{server.bind_addr[1]}/",
            lambda: sent["ada"],
            log_on=("ada", PASSWORD),
        )
    finally:
        server.stop()
        thread.join()


def visit_dav(page: Page, url: str) -> None:
    """Open a folder, then a text in it."""
    page.goto(url)
    page.click("a:text('letters')")
    page.click("a:text('hello.txt')")
    page.wait_for_selector("text=Dear Ada")


FLOWS = {
    "shop": Flow(serve_shop, visit_shop),
    "django-admin": Flow(serve_django, visit_django),
    "wsgidav": Flow(serve_dav, visit_dav),
}
