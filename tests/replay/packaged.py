"""Applications that others wrote, each in a Python environment of its own, or of Debian."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import Page
from visited_site import Flow, Site

from database import serving as database_of
from headcount.lab import port
from processes import wait_for

PASSWORD = "correct horse 7"  # noqa: S105 - of sites that live for one recording
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "headcount-replay"


def programs(name: str, *requirements: str) -> Path:
    """The folder of an application's programs, installed by uv where it is not yet."""
    folder = CACHE / name
    if not (folder / "installed").exists():
        subprocess.run(["uv", "venv", "-q", "--clear", "-p", sys.executable, folder], check=True)
        subprocess.run(
            ["uv", "pip", "install", "-q", "-p", folder / "bin" / "python", *requirements],
            check=True,
        )
        (folder / "installed").touch()
    return folder / "bin"


def run(*command: str | Path, folder: Path) -> str:
    """What a command of an application prints."""
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    ).stdout


@contextmanager
def serving(command: list[str | Path], folder: Path, ready: str) -> Iterator[None]:
    """Run a server until the block ends; `ready` is an address that it answers."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )

    def answers() -> bool:
        with contextlib.suppress(OSError), urlopen(ready, timeout=5):  # noqa: S310 - this host
            return True
        assert process.poll() is None, (folder / "log").read_text("utf-8", "replace")
        return False

    try:
        wait_for(answers)
        yield
    finally:
        process.terminate()
        process.wait(30)


def asked(database: Path, query: str) -> int:
    """The number that a query of SQLite counts."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        (count,) = connection.execute(query).fetchone()
    return int(count)


@contextmanager
def serve_radicale(folder: Path) -> Iterator[Site]:
    """Serve calendars; its proof is the collections of that title in the storage."""
    number = port.free()
    (folder / "users").write_text(f"ada:{PASSWORD}\n", "ascii")
    options = {
        "server-hosts": f"127.0.0.1:{number}",
        "auth-type": "htpasswd",
        "auth-htpasswd-filename": str(folder / "users"),
        "auth-htpasswd-encryption": "plain",
        "auth-delay": "0",
        "storage-filesystem-folder": str(folder / "storage"),
    }
    command = [programs("radicale", "radicale>=3.5") / "radicale"]
    command += [f"--{name}={value}" for name, value in options.items()]

    def plays() -> int:
        found = (folder / "storage").glob("collection-root/ada/*/.Radicale.props")
        return sum(1 for one in found if "Readings" in one.read_text("utf-8"))

    url = f"http://127.0.0.1:{number}/"
    with serving(command, folder, f"{url}.web/"):
        yield Site(url, plays, log_on=("ada", PASSWORD))


def visit_radicale(page: Page, url: str) -> None:
    """Log in, make a calendar."""
    page.goto(url)
    page.fill("#loginscene [data-name=user]", "ada")
    page.fill("#loginscene [data-name=password]", PASSWORD)
    page.press("#loginscene [data-name=password]", "Enter")
    page.click("#collectionsscene [data-name=new]")
    page.fill("#create_displayname", "Readings")
    page.click("#createcollectionscene [data-name=submit]")
    page.wait_for_selector("article:not(.hidden) h3:has-text('Readings')")


@contextmanager
def serve_trac(folder: Path) -> Iterator[Site]:
    """Serve tickets; its proof is those with all that the visit did to them."""
    trac = programs("trac", "trac>=1.6", "setuptools<81")
    bugs = folder / "bugs"
    run(trac / "trac-admin", bugs, "initenv", "Bugs", "sqlite:db/trac.db", folder=folder)
    rights = ("TICKET_CREATE", "TICKET_MODIFY", "TICKET_APPEND")
    with contextlib.suppress(subprocess.CalledProcessError):  # a newer one gives them by itself
        run(trac / "trac-admin", bugs, "permission", "add", "ada", *rights, folder=folder)
    hashed = run("openssl", "passwd", "-apr1", PASSWORD, folder=folder).strip()
    (folder / "users").write_text(f"ada:{hashed}\n", "ascii")
    number = port.free()
    command = [trac / "tracd", "--hostname=127.0.0.1", f"--port={number}", "-s"]
    command += [f"--basic-auth=*,{folder / 'users'},bugs", bugs]
    query = """SELECT count(*) FROM ticket WHERE status = 'accepted' AND owner = 'ada'
        AND EXISTS (SELECT 1 FROM attachment WHERE attachment.id = ticket.id AND size = 200)
        AND (SELECT count(*) FROM ticket_change WHERE ticket_change.ticket = ticket.id
            AND field = 'comment' AND newvalue LIKE '%also here%') = 1"""
    url = f"http://127.0.0.1:{number}/"
    with serving(command, folder, url):
        yield Site(url, lambda: asked(bugs / "db" / "trac.db", query), log_on=("ada", PASSWORD))


def visit_trac(page: Page, url: str) -> None:
    """Log in, file a ticket with a file attached, comment on it and accept it."""
    page.goto(url)
    page.click("#metanav a:text('Login')")
    page.click("#mainnav a:text('New Ticket')")
    page.fill("#field-summary", "The door squeaks")
    page.fill("#field-description", "It does so when it is cold.")
    page.check("input[name=attachment]")
    page.click("#propertyform [name=submit]")
    file = {"name": "squeak.txt", "mimeType": "text/plain", "buffer": b"squeak, 9\n" * 20}
    page.set_input_files("input[name=attachment]", file)
    page.click("#attachment input[type=submit]:not([name=cancel])")
    page.click("a:text('#')")
    page.fill("#comment", "Here it is also here")
    page.click("h3 a:text('Modify Ticket'), h2 a:text('Modify Ticket')")
    page.check("#action_accept")
    page.click("#propertyform [name=submit]")
    page.wait_for_selector(".trac-status:has-text('accepted')")


@contextmanager
def serve_adminer(folder: Path) -> Iterator[Site]:
    """Serve Adminer with a table; its proof is the rows that were inserted, then changed."""
    (folder / "pages").mkdir()
    (folder / "pages" / "index.php").symlink_to("/usr/share/adminer/adminer.php")
    with database_of() as database:
        for line in (
            "CREATE TABLE book (id serial PRIMARY KEY, title text, pages int)",
            "INSERT INTO book (title, pages) VALUES ('Orlando', 1), ('Flush', 2)",
        ):
            database.sql(line, "postgres")
        number = port.free()
        url = f"http://127.0.0.1:{number}/"
        query = "SELECT count(*) FROM book WHERE title = 'The Waves' AND pages = 324"
        command = ["php", "-d", "variables_order=EGPCS", "-S", f"127.0.0.1:{number}"]
        command += ["-t", str(folder / "pages")]
        os.environ["REPLAY_DATABASE"] = database.server.address
        os.environ["REPLAY_LOG_ON"] = f"{database.server.user}\n{database.password}"
        with serving([*command], folder, url):
            yield Site(
                url, lambda: int(database.sql(query, "postgres")), {"PASSWORD": database.password}
            )


def visit_adminer(page: Page, url: str) -> None:
    """Log in, choose a table, insert a row, find it in the list, change it, log out."""
    user, password = os.environ["REPLAY_LOG_ON"].split("\n")
    page.goto(url)
    page.select_option("[name='auth[driver]']", "pgsql")
    page.fill("[name='auth[server]']", os.environ["REPLAY_DATABASE"])
    page.fill("[name='auth[username]']", user)
    page.fill("[name='auth[password]']", password)
    page.fill("[name='auth[db]']", "postgres")
    page.click("[type=submit]")
    page.click("#tables a.select[title='Select data']")
    page.click("a:text('New item')")
    page.fill("[name='fields[title]']", "The Waves")
    page.fill("[name='fields[pages]']", "300")
    page.click("input[value='Save']")
    page.click("#table tr:has-text('The Waves') a:text('edit')")
    page.fill("[name='fields[pages]']", "324")
    page.click("input[value='Save']")
    page.wait_for_selector("text=has been updated")
    page.click("[name=logout]")
    page.wait_for_selector("text=Logout successful")


@contextmanager
def serve_isso(folder: Path) -> Iterator[Site]:
    """Serve comments; its proof is those with an answer that was changed."""
    number = port.free()
    url = f"http://127.0.0.1:{number}/"
    (folder / "isso.cfg").write_text(
        f"[general]\ndbpath = {folder}/comments.db\nhost = {url}\n"
        f"[server]\nlisten = {url}\n[guard]\nenabled = false\nreply-to-self = true\n",
        "ascii",
    )
    query = """SELECT count(*) FROM comments AS first WHERE parent IS NULL
        AND text LIKE 'I have read%' AND (SELECT count(*) FROM comments AS answer
        WHERE answer.parent = first.id AND text LIKE '%, twice') = 1"""
    command = [programs("isso", "isso>=0.13", "setuptools<81") / "isso", "-c", folder / "isso.cfg"]
    with serving([*command, "run"], folder, f"{url}demo/index.html"):
        yield Site(url, lambda: asked(folder / "comments.db", query))


def visit_isso(page: Page, url: str) -> None:
    """Open the page, comment on it, answer the comment, change the answer."""
    page.goto(f"{url}demo/index.html")
    page.fill("#isso-thread .isso-textarea", "I have read this with joy.")
    page.fill("#isso-thread [name=author]", "Ada")
    page.click("#isso-thread [type=submit]")
    page.click(".isso-comment .isso-reply")
    page.fill(".isso-comment .isso-textarea", "And again")
    page.click(".isso-comment [type=submit]")
    page.click(".isso-follow-up .isso-edit")
    page.fill(".isso-follow-up .isso-textarea", "And again, twice")
    page.click(".isso-follow-up .isso-edit")
    page.wait_for_selector(".isso-follow-up :text('twice')")


FLOWS = {
    "radicale": Flow(serve_radicale, visit_radicale),
    "trac": Flow(serve_trac, visit_trac),
    "adminer": Flow(serve_adminer, visit_adminer),
    "isso": Flow(serve_isso, visit_isso),
}
