"""`headcount serve`: Headcount's own servers, on the system under test."""

import os
import shutil
import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from headcount import _engine
from headcount.cli import options
from headcount.cli.console import out
from headcount.cli.secrets import secret
from headcount.errors import InputError

app = typer.Typer(help="Run a server to be measured.", no_args_is_help=True)


@app.callback()
def servers() -> None:
    """Run a server to be measured, on the machine to be measured."""


@app.command("app")
def serve_app(
    data: Annotated[Path, typer.Option(help="Folder of the data set: new, empty, or its own.")],
    listen: Annotated[
        str, typer.Option(help="Address and port; port 0 is any.")
    ] = "127.0.0.1:7410",
    threads: Annotated[
        int, typer.Option(min=0, max=10_000, help="Service threads; 0 is ServerBench's rule.")
    ] = 0,
    write_mode: Annotated[str, typer.Option(help="buffered, dsync or direct.")] = "buffered",
    connections: Annotated[int, typer.Option(min=1, help="Most clients at a time.")] = 4096,
    token_file: options.TokenFile = None,
    json: options.Json = False,
    disposable: Annotated[bool, typer.Option("--disposable", hidden=True)] = False,
) -> None:
    """Run the application server (re-creates ServerBench's) until Ctrl-C.

    It listens on this machine only unless told otherwise; for other machines it needs a token
    (HEADCOUNT_TOKEN or --token-file), the same on both sides.

    Example: headcount serve app --data /srv/headcount --listen 0.0.0.0:7410 --token-file token
    """
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    if disposable:
        _end_with_standard_input(stop, data)
    token = secret(token_file, "token", "HEADCOUNT_TOKEN")
    server = _engine.AppServer(listen, str(data), threads, write_mode, connections, token)
    if json:
        print_json_line(server.address)
    else:
        out.print(f"application server on {server.address}, data in {data}; Ctrl-C ends it")
    stop.wait()
    server.stop()
    if disposable:
        shutil.rmtree(data, ignore_errors=True)


def _end_with_standard_input(stop: threading.Event, data: Path) -> None:
    """For a server of the lab: when whoever started it is gone, it ends and deletes its folder.

    The folder must be new or empty, for all of it is deleted.
    """
    if data.exists() and any(data.iterdir()):
        raise InputError(f"{data} is not empty; a disposable server deletes its folder")

    def wait() -> None:
        while os.read(0, 4096):
            pass
        stop.set()

    threading.Thread(target=wait, daemon=True).start()


def print_json_line(address: str) -> None:
    """One line, at once: whoever started the server waits for it."""
    print(f'{{"address": "{address}"}}', flush=True)
