"""`headcount record`: a workload from what a browser does, through a proxy."""

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli import options
from headcount.cli.console import err
from headcount.cli.import_verb import LogIn, Output, free_path, imported
from headcount.errors import InputError
from headcount.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable
    from urllib.parse import SplitResult

    from headcount.importers.journey import Journey
    from headcount.importers.recording_proxy import Place, RecordingProxy

Verify = Annotated[
    str,
    typer.Option(
        "--verify-certificates",
        metavar="on|off|FILE",
        help="Whether the site's certificate must be trusted, or the file that trusts it.",
    ),
]


def record(
    target: Annotated[
        str, typer.Option("--target", "-t", metavar="URL", help="The site to visit and record.")
    ],
    output: Output = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the proxy.")] = 8080,
    listen: Annotated[
        str,
        typer.Option(
            metavar="HOST",
            help="Address of the proxy; 0.0.0.0 for a phone. Anybody who reaches it can use it.",
        ),
    ] = "127.0.0.1",
    browser: Annotated[
        bool,
        typer.Option(
            "--browser", help="Open Chromium or Chrome with a profile that uses the proxy."
        ),
    ] = False,
    verify: Verify = "on",
    log_in: LogIn = "each-visit",
    json: options.Json = False,
) -> None:
    """Record a visit through a proxy and make a workload file from it, as import har does.

    Let a browser use the proxy, do what users do, then press Ctrl-C. Only the target is recorded:
    other hosts pass through. Forms with files are complete, unlike in a browser's own recording.

    Example: headcount record --target https://shop.example -o shop.toml --browser
    """
    from headcount.cli.outputs import check_file
    from headcount.importers import har, recording_proxy
    from headcount.importers.exchange import origin
    from headcount.importers.names import workload_name
    from headcount.importers.recorded_journey import recorded_journey

    url = _site(target)
    # Before the visit, which would be lost.
    output = output or free_path(workload_name(url.hostname or ""))
    check_file(output, "-o", ".toml")
    recording_proxy.program()
    recording_proxy.check_port(listen, port)
    place, trust = recording_proxy.Place(listen, port), _trust(verify)
    with tempfile.TemporaryDirectory(
        prefix="headcount-record-", ignore_cleanup_errors=True
    ) as folder:
        path = Path(folder, "visit.har")  # holds passwords: deleted with the folder
        proxy = recording_proxy.RecordingProxy(url, place, path, trust)
        others = _recorded(url, proxy, Path(folder) if browser else None)
        if not path.exists():
            raise InputError(
                "nothing was recorded; let a browser use the proxy, then visit the site"
            )
        found = har.recording(path)

    def make(name: str) -> "Journey":
        journey = recorded_journey(found, name, origin(url))
        listed = "".join(journey.left_out)
        journey.left_out += [
            f"requests to {one}, another host" for one in others if one not in listed
        ]
        return journey

    write_visit(make, output, log_in=log_in, json=json)


def write_visit(make: "Callable[[str], Journey]", output: Path, *, log_in: str, json: bool) -> None:
    """Write the workload; with a log-in in each visit if users cannot log in once.

    The visit is gone otherwise: its recording holds passwords, so it is not kept.
    """
    try:
        imported(make, output, log_in=log_in, json=json)
    except InputError as error:
        if log_in != "once":
            raise
        err.print(clean(f"not with --log-in once: {error}"), markup=False, highlight=False)
        imported(make, output, json=json)


def _site(target: str) -> "SplitResult":
    """The parts of the target's address; raises InputError if no browser visits it."""
    from headcount.importers.exchange import split_url

    try:
        url = split_url(target)
    except ValueError as error:
        raise InputError(f"--target: {error}; write it as https://shop.example") from error
    if url.scheme not in ("http", "https"):
        raise InputError(f"--target: a browser visits https://{url.netloc}, not {url.scheme}://")
    return url


def _trust(verify: str) -> bool | str:
    """What the proxy trusts; raises InputError for a file without a certificate."""
    from headcount.fields.model import trusted
    from headcount.importers.recording_proxy import check_authority

    trust = trusted(verify)
    if isinstance(trust, str):
        check_authority(trust)
    return trust


def _recorded(url: "SplitResult", proxy: "RecordingProxy", folder: Path | None) -> list[str]:
    """Run the proxy until Ctrl-C; returns the other hosts it saw."""
    from headcount.importers import proxied_browser

    others: list[str] = []
    with contextlib.ExitStack() as parts:
        running = parts.enter_context(proxy)
        with contextlib.suppress(KeyboardInterrupt):
            for event in running.events():
                if "other" in event:
                    others.append(str(event["other"]))
                if "ready" not in event:
                    _show(event)
                    continue
                _guide(url, proxy.place, has_browser=folder is not None)
                if folder is not None:
                    address = proxy.place.here
                    opened = proxied_browser.start(address, folder / "profile", url.geturl())
                    parts.callback(proxied_browser.end, opened)
    err.print("recorded; making the workload", markup=False, highlight=False)
    return others


def _guide(url: "SplitResult", place: "Place", *, has_browser: bool) -> None:
    """Print how to use the proxy."""
    lines = [f"Recording {url.geturl()} through the proxy {place.text}. Ctrl-C ends it."]
    if not has_browser:
        where = place.text
        if place.is_everywhere:
            where = f"port {place.port} of an address of this machine"
        lines.append(f"Let your browser use {where} as its proxy for HTTP and HTTPS.")
        if url.scheme == "https":
            lines.append(
                "It must trust ~/.mitmproxy/mitmproxy-ca-cert.pem, also at http://mitm.it through "
                "the proxy: only while you record, and in a separate profile."
            )
        if url.hostname in ("localhost", "127.0.0.1", "::1"):
            lines.append(
                "Browsers bypass proxies for this machine, except one that headcount record "
                "--browser opens."
            )
    for line in lines:
        err.print(line, markup=False, highlight=False)


def _show(event: dict[str, Any]) -> None:
    """Print an event of the proxy as a line."""
    if "page" in event:
        line = f"  {event.get('method')} {event['page']}  {event.get('status')}"
    elif "websocket" in event:
        line = f"  WebSocket {event['websocket']}: not imported, see docs/journeys.md#websockets"
    elif "distrusted" in event:
        line = (
            f"  {event['distrusted']} is not trusted ({event.get('why')}): press Ctrl-C, and "
            "record with --verify-certificates FILE (its authority's), or off"
        )
    else:
        line = f"  passed through: {event.get('other')}"
    err.print(clean(line), markup=False, highlight=False)
