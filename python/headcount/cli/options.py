"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="TARGET",
        help="The system under test: smb://host/share, file:///folder, http://host/path, "
        "app://host:port; or lab:samba, lab:files, lab:nginx, lab:apache, lab:app for one started "
        "here.",
    ),
]
Runs = Annotated[
    Path,
    typer.Option("--runs", envvar="HEADCOUNT_RUNS", help="Folder in which bundles are kept."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Seed = Annotated[int | None, typer.Option(help="Everything random derives from it.")]
Scale = Annotated[
    float | None,
    typer.Option(min=1e-6, max=1.0, help="Shrink the data set by this factor, such as 0.1."),
]
AuthorisedBy = Annotated[
    str | None,
    typer.Option(
        "--authorised-by",
        metavar="WHO",
        help="Who owns the target and agreed to the load; needed off this machine.",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(help="File with the server's token (or set HEADCOUNT_TOKEN)."),
]
User = Annotated[
    str | None,
    typer.Option("--user", metavar="PATTERN", help="The users' names: user{n:05} is user00000..."),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(help="File with the users' password (or set HEADCOUNT_PASSWORD, or be asked)."),
]
Shares = Annotated[
    int | None,
    typer.Option(min=1, max=100_000, help="Spread the users over this many shares."),
]
Client = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        metavar="KEY=VALUE",
        help="How the protocol is spoken: signing=required, keep_alive=on, verify=off; of files: "
        "mode=direct.",
    ),
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="RESOURCE=VALUE",
        help="Give a lab server less of the machine: cpu=0.5, cpus=0, memory=256MiB, "
        "disk-read=20MB/s, disk-write=5MB/s, network=80Mbit/s; or the generator: "
        "generator-cpu=0.2.",
    ),
]
LoadFile = Annotated[
    Path | None,
    typer.Option(
        "--loadfile", metavar="FILE", help="With replay: the load file of dbench that is played."
    ),
]
IgnoreTimes = Annotated[
    bool, typer.Option("--ignore-times", help="With --loadfile: pass over its time stamps.")
]
Workspace = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="With disk-mix: the files of each user, 20MiB or 80MiB."),
]
Source = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="[NAME=]ADDRESS",
        help="Read counters of another machine: ssh://user@host, http://host:9100/metrics "
        "(node_exporter), http://host:9182/metrics (windows_exporter). Repeatable.",
    ),
]
Versus = Annotated[
    str | None,
    typer.Option(
        "--versus",
        metavar="TARGET",
        help="Measure this target too, in turn with the first, and compare them.",
    ),
]
VersusSet = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-set",
        metavar="KEY=VALUE",
        help="Setting of the second lab server, over --set; without --versus of one like the "
        "first.",
    ),
]
VersusLimit = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-limit",
        metavar="RESOURCE=VALUE",
        help="Limit of the second lab server, over --limit: cpu=1; cpu=none takes one away.",
    ),
]
VersusClient = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-client",
        metavar="KEY=VALUE",
        help="How the protocol is spoken to the second target, over --client.",
    ),
]
VersusUser = Annotated[
    str | None,
    typer.Option("--versus-user", metavar="PATTERN", help="The users' names on the second target."),
]
VersusSource = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-source",
        metavar="[NAME=]ADDRESS",
        help="Counters of the second target's machine, as --source. Repeatable.",
    ),
]
VersusCost = Annotated[
    str | None,
    typer.Option("--versus-cost", metavar="PRICE", help="What the second system costs."),
]
VersusPasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--versus-password-file",
        help="The password on the second target (or set HEADCOUNT_VERSUS_PASSWORD), if it is "
        "another one.",
    ),
]
Pairs = Annotated[
    int | None,
    typer.Option(min=2, max=1000, help="With --versus: how often each level is run on both (6)."),
]
PairOrder = Annotated[
    str | None,
    typer.Option(
        "--pair-order", metavar="abba|random", help="With --versus: who begins each pair (abba)."
    ),
]
RUNS = Path("runs")
