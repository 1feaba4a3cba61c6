"""Applications that the importer was not changed for."""

import contextlib
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packaged import PASSWORD, asked, programs, run, serving
from playwright.sync_api import Page
from visited_site import Flow, Site

from headcount.lab import port

RULES = b"Wipe your feet.\n" * 20


@contextmanager
def serve_roundup(folder: Path) -> Iterator[Site]:
    """Serve issues; its proof is those with the message of their beginning and one more."""
    number = port.free()
    url = f"http://127.0.0.1:{number}/"
    roundup, tracker = programs("roundup", "roundup>=2.5", "waitress"), folder / "tracker"
    admin = (roundup / "roundup-admin", "-i", tracker)
    settings = f"tracker_web={url},mail_domain=house.example"
    run(*admin, "install", "classic", "sqlite", settings, folder=folder)
    run(*admin, "initialise", PASSWORD, folder=folder)
    fields = ("username=ada", f"password={PASSWORD}", "roles=User", "address=ada@house.example")
    run(*admin, "create", "user", *fields, folder=folder)
    # Its own server does not run as root. With several threads ast.parse of Python 3.11 fails
    # at times.
    serve = "from roundup.cgi.wsgi_handler import RequestDispatcher; from waitress import serve; "
    serve += (
        f"serve(RequestDispatcher({str(tracker)!r}), host='127.0.0.1', port={number}, threads=1)"
    )
    command = [roundup / "python", "-c", serve]
    query = """SELECT count(*) FROM _issue WHERE _title = 'The door squeaks'
        AND (SELECT count(*) FROM issue_messages WHERE nodeid = _issue.id) = 2"""
    with serving(command, folder, url):
        yield Site(url, lambda: asked(tracker / "db" / "db", query), {"PASSWORD": PASSWORD})


def visit_roundup(page: Page, url: str) -> None:
    """Log in, file an issue, add a message to it."""
    page.goto(url)
    page.fill("[name=__login_name]", "ada")
    page.fill("[name=__login_password]", PASSWORD)
    page.press("[name=__login_password]", "Enter")
    page.click("a:text('Create New')")
    page.fill("[name=title]", "The door squeaks")
    page.select_option("[name=priority]", label="bug")
    page.fill("[name='@note']", "It does so when it is cold.")
    page.click("[name=itemSynopsis] input[type=submit]")
    page.wait_for_selector(".ok-message")
    page.fill("[name='@note']", "Here it is also here.")
    page.click("[name=itemSynopsis] input[type=submit]")
    page.wait_for_selector(".ok-message:has-text('edited')")


@contextmanager
def serve_wagtail(folder: Path) -> Iterator[Site]:
    """Serve a CMS; its proof is the documents of that title with the bytes that were uploaded."""
    wagtail = programs("wagtail", "wagtail>=7")
    run(wagtail / "wagtail", "start", "house", folder, folder=folder)
    manage = (wagtail / "python", folder / "manage.py")
    run(*manage, "migrate", folder=folder)
    subprocess.run(
        [*manage, "createsuperuser", "--noinput", "--username=ada", "--email=ada@house.example"],
        cwd=folder,
        env={**os.environ, "DJANGO_SUPERUSER_PASSWORD": PASSWORD},
        check=True,
        capture_output=True,
    )
    number = port.free()
    url = f"http://127.0.0.1:{number}/"

    def plays() -> int:
        with contextlib.closing(sqlite3.connect(folder / "db.sqlite3")) as connection:
            query = "SELECT file FROM wagtaildocs_document WHERE title = 'House rules'"
            files = [folder / "media" / name for (name,) in connection.execute(query)]
        return sum(1 for one in files if one.read_bytes() == RULES)

    serve = [*manage, "runserver", "--noreload", f"127.0.0.1:{number}"]
    with serving(serve, folder, f"{url}admin/login/"):
        yield Site(url, plays, {"PASSWORD": PASSWORD})


def visit_wagtail(page: Page, url: str) -> None:
    """Log in, upload a document and give it a title, log out."""
    page.goto(f"{url}admin/")
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.click("nav a:has-text('Documents')")
    page.click("a[href*='documents/multiple/add']")
    file = {"name": "rules.txt", "mimeType": "text/plain", "buffer": RULES}
    page.set_input_files("input[type=file]", file)
    page.fill("#upload-list [name$=title]", "House rules")
    page.click("#upload-list button:has-text('Update'), #upload-list [type=submit]")
    page.wait_for_selector(".messages :text('updated')")
    page.click("#wagtail-sidebar button:has-text('ada')")
    page.click("#wagtail-sidebar button:has-text('Log out')")
    page.wait_for_selector("[name=username]")


FLOWS = {
    "roundup": Flow(serve_roundup, visit_roundup),
    "wagtail": Flow(serve_wagtail, visit_wagtail),
}
