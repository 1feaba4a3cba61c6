"""The views of the system under test that are read beside its machine's counters."""

from urllib.parse import urlsplit

from headcount.bundle.writer import BundleWriter
from headcount.controller.access.http import HttpAccess
from headcount.controller.behind import servers_behind
from headcount.controller.listener import Listener
from headcount.controller.sut import Sut
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import program_name
from headcount.counters.views.find import find_views
from headcount.counters.views.kinds import Around


def with_views(sut: Sut, bundle: BundleWriter, listener: Listener, at_s: float) -> Sut:
    """The system under test with the views that it has; reports them in the run and its bundle.

    Each place where one may be is asked once. A server that Headcount started reports its own
    figures anyway.
    """
    found, doubts = find_views(around(sut), sut.views) if sut.is_of_somebody else ([], [])
    views = [*sut.views, *found]
    for view in views:
        bundle.event("view", at_s, title=view.title, address=view.where, found_by=view.by)
        listener.noted(f"the server's own view: {view.text}")
    for doubt in doubts:
        bundle.event("view", at_s, message=doubt.text)
        listener.noted(doubt.text)
    return sut.viewed_by(views)


def around(sut: Sut) -> Around:
    """What is known of a server: its address, its name for itself, its processes, their peers."""
    url, banner = None, ""
    if isinstance(sut.access, HttpAccess):
        parts = urlsplit(sut.access.url)
        url = f"{parts.scheme}://{parts.netloc}"
        banner = sut.access.settings.get("web server", "")
    if sut.server is None:
        return Around(url, banner)
    machine = ThisMachine()
    found = sut.server.find()
    others = {pid: program_name(machine, pid) for pid in machine.pids()}
    return Around(url, banner, found.names, servers_behind(machine, list(found.names)), others)
