"""A web server as a target."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headcount import _engine
from headcount.analyse.failures import cause_of, explained_message
from headcount.bundle.failure import Cause
from headcount.controller.access.access import NO_TLS, NOTHING, Prepared, Progress
from headcount.controller.access.protection import clear_warnings
from headcount.controller.access.secrets import Secrets
from headcount.counters.source import Source
from headcount.counters.web import WebSource
from headcount.errors import InputError, TargetError
from headcount.lab.web import WebServer
from headcount.plan.plan import Plan
from headcount.plan.tokens import oauth2_of
from headcount.protocols.http import http_client
from headcount.protocols.target import Target

OTHER: frozenset[Cause] = frozenset({"turned-away", "login", "application", "tls"})
"""Causes that say nothing about the pages: they may exist."""
UNREACHED = ("no connection", "no answer")
"""The engine's message about a server that was never reached."""


@dataclass(frozen=True)
class Site:
    """A site that serves the pages.

    Attributes:
        url: The base of all paths.
        at: The address of its host, as `ip:port`, if known.
        data: The folder that is served there, if Headcount may write to it.
        authority: The certificate to trust instead of this machine's own.
        status_url: Where the server reports its own figures, if it does.
        most: Its limit of `workers` or `connections`, if known.
        user: The users' names, or their pattern, if the server asks for them.
        password: The password of all users.
        logins: Names and passwords of users, if each has its own.
        token_server: Address of the server that issues access tokens, and the address of its host,
            if it is another server.

    """

    url: str
    at: tuple[str, ...] = ()
    data: Path | None = None
    authority: Path | None = None
    status_url: str | None = None
    most: Mapping[str, int] = field(default_factory=dict)
    user: str = ""
    password: str | None = field(default=None, repr=False)
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)
    token_server: tuple[str, tuple[str, ...]] | None = None


class HttpAccess:
    """A web server."""

    pid: int | None = None
    programs: Mapping[str, str] = {}

    def __init__(self, plan: Plan, site: Site, warnings: Sequence[str] = ()) -> None:
        """Request the root; raises TargetError if nobody answers, whatever the answer."""
        self._plan = plan
        self._site = site
        self.warnings = warnings
        self.url = site.url
        self._ready = False
        self._target = _target(plan, site)
        hello = self._hello()
        settings = {
            "web server": hello["server"],
            "HTTP version": hello["version"],
            "TLS": hello["tls"],
            "status of the root": str(hello["status"]),
            "keeps connections": "yes" if hello["keeps_alive"] else "no",
        }
        self.settings: Mapping[str, str] = {key: value for key, value in settings.items() if value}

    def _hello(self) -> dict[str, Any]:
        try:
            hello: dict[str, Any] = json.loads(_engine.hello("http", self._target))
        except TargetError as error:
            where = urlsplit(self._site.url).netloc
            message = str(error) if where in str(error) else f"{self._site.url}: {error}"
            if connect := http_client(self._plan.client).connect:
                message = message.replace(where, f"{where} (at {connect})", 1)
            if NO_TLS in message:
                raise TargetError(explained_message(message, "connect")) from error
            if not any(words in message for words in UNREACHED):
                raise TargetError(explained_message(message)) from error
            raise TargetError(
                f"{message}; check that a web server is running there, on this port, and that no "
                "firewall blocks this machine"
            ) from error
        return hello

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make sure that the pages are served; those of a lab server are written first.

        All users share them. Checks a sample, or with `verify` all pages. Raises TargetError with
        what to do if they are not served, or are the wrong ones.
        """
        plan = self._plan
        if plan.pages is None or not plan.workload.asked or (self._ready and not verify):
            return NOTHING

        def progress(text: str) -> None:
            far = json.loads(text)
            on_progress(users * far["pages_done"] // max(far["pages"], 1), users)

        made = self._write(progress, verify=verify)
        try:
            which = json.dumps(plan.workload.asked)
            _engine.http_check(self._target, which, progress, verify)
        except TargetError as error:
            raise TargetError(self._advice(str(error))) from error
        self._ready = True
        return Prepared(users, 0, made) if made else Prepared(0, users, 0)

    def _write(self, progress: Any, *, verify: bool) -> int:
        """Write the pages if possible; returns the bytes written."""
        pages, folder = self._plan.pages, self._site.data
        if pages is None or folder is None:
            return 0
        data_set = json.dumps(pages.engine_form())
        written = json.loads(_engine.http_write_tree(str(folder), data_set, progress, verify))
        if written["written_bytes"]:
            os.sync()  # otherwise writing these pages out would slow the first level down
        return int(written["written_bytes"])

    def _advice(self, error: str) -> str:
        """What to do about a page that is missing or wrong."""
        name, url = self._plan.workload.name, self._site.url
        message = f"{url} does not serve the pages of {name} as they are ({error}); "
        if self._site.data is not None:
            return message + "this lab server does not work; its log may say why"
        rule = cause_of("refused", error)
        is_cgi = rule.cause == "application" and self._plan.asks_for_cgi
        if rule.cause in OTHER and not is_cgi:
            what = f"{url} fails a check of its pages ({error})"
            return f"{what}. {rule.meaning}. {rule.advice}"
        scale = f" --scale {self._plan.scale:g}" if self._plan.scale != 1 else ""
        mend = f"create them with: headcount prepare {name}{scale} --folder PAGES, and have the "
        mend += f"server serve that folder at {url}/"
        if self._plan.asks_for_cgi:
            mend += ", with PAGES/cgi-bin/page as a CGI program"
        return f"{message}{mend}"

    def check(self) -> None:
        """Request the root again."""
        _engine.hello("http", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Nothing can be deleted over HTTP; raises InputError that says so."""
        del on_progress
        raise InputError(
            "nothing can be deleted over HTTP; on the machine with the pages: "
            "headcount cleanup --folder PAGES"
        )

    def engine_target(self) -> str:
        """Address, credentials, terms and pages."""
        return self._target

    def source(self) -> Source | None:
        """The figures of a lab server; others have only those of their machine."""
        if self._site.status_url is None:
            return None
        return WebSource(self._site.status_url, most=self._site.most)


def _target(plan: Plan, site: Site) -> str:
    client = http_client(plan.client)
    target: dict[str, Any] = {
        "url": site.url,
        "at": site.at,
        "logins": site.logins,
        **client.engine_form(),
    }
    if site.authority is not None and plan.client.get("verify_certificates", "on") == "on":
        target["verify_certificates"] = str(site.authority)
    if site.user:
        target |= {"user": site.user, "password": site.password or ""}
    if site.token_server is not None:
        url, at = site.token_server
        target["token_server"] = {"url": url, "at": at}
    if plan.pages is not None:
        target["data_set"] = plan.pages.engine_form()
    return json.dumps(target)


def of_lab(plan: Plan, server: WebServer) -> HttpAccess:
    """A web server of the lab."""
    if oauth2_of(plan.workload) is not None:
        raise InputError(
            f"{plan.target} gives no access tokens, which [oauth2] asks for; give the address of "
            "a server that takes them"
        )
    site = Site(server.url, (), server.data, server.authority, server.status_url, server.most)
    return HttpAccess(plan, site)


def of_target(plan: Plan, target: Target, secrets: Secrets) -> HttpAccess:
    """A web server that the user names; its name selects site and certificate."""
    client = http_client(plan.client)
    if client.user and secrets.password is None and not secrets.logins:
        raise InputError(f"{plan.target} needs the password of its users")
    oauth2 = oauth2_of(plan.workload)
    sends_password = bool(client.user) and client.auth != "digest"
    warnings = clear_warnings(
        target.text,
        target.addresses,
        is_tls=target.is_tls or not (sends_password or oauth2),
        is_allowed=client.clear_password,
        remedy="use https://",
    )
    token_server = None
    if oauth2 is not None and oauth2.server is not None:
        url, host, port = oauth2.server
        token_server = url, target.others[host, port]
        warnings = [
            *warnings,
            *clear_warnings(
                url,
                token_server[1],
                is_tls=url.startswith("https:"),
                is_allowed=client.clear_password,
                remedy="use https:// in token_url",
            ),
        ]
    site = Site(
        target.text,
        target.addresses,
        user=client.user,
        password=secrets.password,
        logins=secrets.logins,
        token_server=token_server,
    )
    return HttpAccess(plan, site, warnings)
