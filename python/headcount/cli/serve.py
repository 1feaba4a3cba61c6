"""`headcount serve`: Headcount's own servers, on the system under test."""

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli import options
from headcount.cli.console import out
from headcount.cli.secrets import secret
from headcount.output.file import ensure_folder

app = typer.Typer(help="Run a server to measure, on its own machine.", no_args_is_help=True)


@app.callback()
def servers() -> None:
    """Run a server to measure, on its own machine."""


@app.command("app")
def serve_app(
    data: Annotated[Path, typer.Option(help="Folder of the data set: new, empty, or its own.")],
    listen: Annotated[
        str, typer.Option(help="Address and port; port 0 picks a free one.")
    ] = "127.0.0.1:7410",
    threads: Annotated[
        int, typer.Option(min=0, max=10_000, help="Service threads; 0 uses ServerBench's rule.")
    ] = 0,
    write_mode: Annotated[str, typer.Option(help="buffered, dsync or direct.")] = "buffered",
    connections: Annotated[
        int, typer.Option(min=1, help="Maximum number of concurrent clients.")
    ] = 4096,
    token_file: options.TokenFile = None,
    json: options.Json = False,
) -> None:
    """Run the application server (re-creates ServerBench's) until Ctrl-C.

    By default it listens on this machine only; for other machines it needs a token
    (HEADCOUNT_TOKEN or --token-file), the same on both sides.

    Example: headcount serve app --data /srv/headcount --listen 0.0.0.0:7410 --token-file token
    """
    from headcount import _engine
    from headcount.own_server import end_by_signal, print_address

    ensure_folder(data, "--data")
    token = secret(token_file, "token", "HEADCOUNT_TOKEN")
    server = _engine.AppServer(listen, str(data), threads, write_mode, connections, token)
    stop = end_by_signal()  # until it serves, Ctrl-C interrupts as usual
    if json:
        print_address(server.address)
    else:
        out.print(f"application server on {server.address}, data in {data}; Ctrl-C ends it")
    stop.wait()
    server.stop()


@app.command("smtp")
def serve_smtp(
    lmtp: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            help="LMTP server for mail without a route; or count: count it and drop it.",
        ),
    ],
    listen: Annotated[
        str, typer.Option(help="Address and port; port 0 picks a free one.")
    ] = "127.0.0.1:2525",
    route: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DOMAIN=HOST:PORT",
            help="Route for a domain's mail: DOMAIN=LMTP server, or DOMAIN=count.",
        ),
    ] = None,
    reject: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Refuse these recipients, such as '*@gone.invalid'; * matches anything.",
        ),
    ] = None,
    delay: Annotated[
        int,
        typer.Option(
            min=0,
            max=86_400_000,
            metavar="MS",
            help="Accept mail at once and deliver it after this many ms, to test slow delivery. "
            "Mail held in memory is lost if the server is killed.",
        ),
    ] = 0,
    password_file: Annotated[
        Path | None,
        typer.Option(help="File with the password of all clients (or set HEADCOUNT_PASSWORD)."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Run a small SMTP server in front of LMTP servers, until Ctrl-C.

    It accepts a message once the LMTP server has delivered it, and refuses the recipients that
    the LMTP server refuses. At the end it prints what it has done, as JSON.

    Example: headcount serve smtp --lmtp 127.0.0.1:10024 --route far.invalid=count
    """
    from headcount import _engine
    from headcount.own_server import end_by_signal, print_address

    password = secret(password_file, "password", "HEADCOUNT_PASSWORD")
    server = _engine.MailFront(listen, lmtp, route or [], reject or [], delay, password)
    stop = end_by_signal()
    if json:
        print_address(server.address)
    else:
        out.print(f"SMTP on {server.address}, mail goes to {lmtp}; Ctrl-C ends it")
    stop.wait()
    print(server.stop(), flush=True)
