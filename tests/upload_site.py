"""A site of Flask behind a real Gunicorn and nginx that writes down what it was sent."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gunicorn_site import Site, gunicorn_site

APPLICATION = """\
import hashlib, json
import flask

app = flask.Flask("uploads")

def seen(**more):
    request = flask.request
    names = ("Content-Type", "Content-Length", "Transfer-Encoding", "X-Proto", "X-Framing")
    headers = {name: request.headers.get(name) for name in names}
    entry = {"method": request.method, "path": request.path, **headers, **more}
    with open("seen.ndjson", "a", encoding="utf-8") as log:
        log.write(json.dumps(entry) + "\\n")
    return entry, 201

def digest(data):
    return hashlib.sha256(data).hexdigest()

@app.route("/upload", methods=["PUT", "POST", "PATCH", "GET", "DELETE", "OPTIONS"])
def upload():
    data = flask.request.get_data()
    return seen(sha256=digest(data), bytes=len(data))

@app.post("/form")
def form():
    request = flask.request
    files = {
        name: [one.filename, one.content_type, digest(one.read())]
        for name, one in request.files.items()
    }
    return seen(files=files, fields=dict(request.form))

@app.route("/moved-<int:status>", methods=["PUT", "POST"])
def moved(status):
    flask.request.get_data()
    return flask.redirect("/upload", status)
"""
BUFFERED = "client_max_body_size 0; proxy_set_header X-Framing $http_transfer_encoding;"
"""nginx takes a whole body before it asks for the page."""
STREAMED = f"{BUFFERED} proxy_request_buffering off; proxy_http_version 1.1;"
"""nginx hands on what comes as it comes."""


@dataclass
class UploadSite:
    """One that runs."""

    site: Site

    @property
    def url(self) -> str:
        """The address of nginx."""
        return f"http://127.0.0.1:{self.site.web}/"

    @property
    def inner_url(self) -> str:
        """The address of Gunicorn."""
        return f"http://127.0.0.1:{self.site.inner}/"

    def seen(self) -> list[dict[str, Any]]:
        """What it was sent, in order."""
        file = self.site.folder / "seen.ndjson"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def forget(self) -> None:
        """Forget what it was sent."""
        (self.site.folder / "seen.ndjson").unlink(missing_ok=True)


@contextmanager
def served(location: str = BUFFERED) -> Iterator[UploadSite]:
    """Serve one."""
    with gunicorn_site(application=APPLICATION, location=location) as site:
        yield UploadSite(site)
