"""Options that several verbs share, and the panels in which help shows them."""

from pathlib import Path
from typing import Annotated

import typer

TARGET, LOAD, SEARCH, CRITERIA = "Target", "Load", "Search", "Criteria"
SERVER, VERSUS, OUTPUT = "Server under test", "Second target", "Output"
ADVANCED = "Advanced"
"""Panels of help, in the order in which `run` shows them."""

Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="TARGET",
        help="The server to measure: http://host, https://host, smb://host/share, imap://host or "
        "imaps://host (mail goes out by smtp://host), postgresql://host/db, redis://host or "
        "rediss://host, app://host:port, file:///folder; or lab:NAME, a server started here: "
        "lab:app, lab:samba, lab:files, lab:apache, lab:nginx, lab:ha-web, lab:ha-file, lab:mail, "
        "lab:postgresql, lab:ha-postgresql, lab:redis.",
        rich_help_panel=TARGET,
    ),
]
Runs = Annotated[
    Path,
    typer.Option(
        "--runs",
        envvar="HEADCOUNT_RUNS",
        help="The folder that keeps the bundles.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print the answer as JSON.", rich_help_panel=OUTPUT)
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed of every random choice.", rich_help_panel=ADVANCED),
]
Scale = Annotated[
    float | None,
    typer.Option(
        min=1e-6,
        max=1.0,
        help="Shrink the data set by this factor, such as 0.1.",
        rich_help_panel=LOAD,
    ),
]
AuthorisedBy = Annotated[
    str | None,
    typer.Option(
        "--authorised-by",
        metavar="WHO",
        envvar="HEADCOUNT_AUTHORISED_BY",
        help="The owner of the target, who agreed to the load. Required for other machines; what "
        "a plan or a bundle says about it does not count.",
        rich_help_panel=TARGET,
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the server's token (or set HEADCOUNT_TOKEN).", rich_help_panel=TARGET
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="PATTERN",
        help="The users' names: user{n:05} means user00000, user00001, ...",
        rich_help_panel=TARGET,
    ),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the users' password (or set HEADCOUNT_PASSWORD, or be asked).",
        rich_help_panel=TARGET,
    ),
]
Shares = Annotated[
    int | None,
    typer.Option(
        min=1, max=100_000, help="Spread the users over this many shares.", rich_help_panel=TARGET
    ),
]
Client = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        metavar="KEY=VALUE",
        help="How clients speak: signing=required, keep_alive=on, verify=off; for files "
        "mode=direct.",
        rich_help_panel=ADVANCED,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of a lab server: threads=4.",
        rich_help_panel=SERVER,
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
        rich_help_panel=SERVER,
    ),
]
Line = Annotated[
    list[str] | None,
    typer.Option(
        "--line",
        metavar="NAME=SHARE,...",
        help="Put a share of the users on a line of their own: branch=40%,latency=30ms,loss=0.1%. "
        "It can have latency, jitter, loss, reorder and network, as for --limit.",
        rich_help_panel=SERVER,
    ),
]
LoadFile = Annotated[
    Path | None,
    typer.Option(
        "--loadfile",
        metavar="FILE",
        help="With replay: the dbench load file to play.",
        rich_help_panel=LOAD,
    ),
]
IgnoreTimes = Annotated[
    bool,
    typer.Option(
        "--ignore-times", help="With --loadfile: ignore its timestamps.", rich_help_panel=LOAD
    ),
]
Workspace = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="With disk-mix: size of each user's files, 20MiB or 80MiB.",
        rich_help_panel=LOAD,
    ),
]
Source = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="[NAME=]ADDRESS",
        help="Read counters of another machine: ssh://user@host, http://host:9100/metrics "
        "(node_exporter), http://host:9182/metrics (windows_exporter). Repeatable.",
        rich_help_panel=ADVANCED,
    ),
]
View = Annotated[
    list[str] | None,
    typer.Option(
        "--view",
        metavar="KIND=ADDRESS",
        help="The server's status page or socket, if Headcount does not find it: "
        "nginx=http://127.0.0.1/status, apache=URL, haproxy=SOCKET, php-fpm=SOCKET|PATH, "
        "redis=HOST:PORT, jvm=FILE, dovecot=SOCKET, samba=SMB.CONF. Repeatable.",
        rich_help_panel=ADVANCED,
    ),
]
Stacks = Annotated[
    str,
    typer.Option(
        "--stacks",
        metavar="auto|all|off",
        help="What the server's threads wait for, on this machine: auto reads the kernel's own "
        "files, all also runs perf, jstack, py-spy and asks Go's pprof, off records nothing.",
        rich_help_panel=ADVANCED,
    ),
]
Confirm = Annotated[
    bool | None,
    typer.Option(
        "--confirm/--no-confirm",
        metavar="",
        help="After the run, test what limits the server by experiments, as headcount diagnose "
        "--confirm does. By default, a search on your own web, SQL or application server does so "
        "in the time it has left, if only experiments can tell.",
        rich_help_panel=SEARCH,
    ),
]
Pid = Annotated[
    list[int] | None,
    typer.Option(
        "--pid",
        metavar="PID",
        min=1,
        help="A process of the server, here or at --source ssh://. Without it, those that listen "
        "at the target's address. Repeatable.",
        rich_help_panel=TARGET,
    ),
]
Unit = Annotated[
    list[str] | None,
    typer.Option(
        "--unit",
        metavar="NAME",
        help="The server is this systemd unit: nginx, postgresql@15-main. Repeatable.",
        rich_help_panel=TARGET,
    ),
]
Cgroup = Annotated[
    list[str] | None,
    typer.Option(
        "--cgroup",
        metavar="PATH",
        help="The server is a control group's processes: /system.slice/web.service. Repeatable.",
        rich_help_panel=TARGET,
    ),
]
Container = Annotated[
    list[str] | None,
    typer.Option(
        "--container",
        metavar="NAME",
        help="The server is a container, by name or ID (docker, podman, LXC). Repeatable.",
        rich_help_panel=TARGET,
    ),
]
Versus = Annotated[
    str | None,
    typer.Option(
        "--versus",
        metavar="TARGET",
        help="Measure this target too, alternating with the first, and compare them.",
        rich_help_panel=VERSUS,
    ),
]
VersusSet = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-set",
        metavar="KEY=VALUE",
        help="Setting of the second lab server, on top of --set; without --versus, of one like "
        "the first.",
        rich_help_panel=VERSUS,
    ),
]
VersusLimit = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-limit",
        metavar="RESOURCE=VALUE",
        help="Limit of the second lab server, on top of --limit: cpu=1; cpu=none removes one.",
        rich_help_panel=VERSUS,
    ),
]
VersusClient = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-client",
        metavar="KEY=VALUE",
        help="How clients speak to the second target, on top of --client.",
        rich_help_panel=VERSUS,
    ),
]
VersusUser = Annotated[
    str | None,
    typer.Option(
        "--versus-user",
        metavar="PATTERN",
        help="The users' names on the second target.",
        rich_help_panel=VERSUS,
    ),
]
VersusSource = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-source",
        metavar="[NAME=]ADDRESS",
        help="Counters of the second target's machine, as --source. Repeatable.",
        rich_help_panel=VERSUS,
    ),
]
VersusPid = Annotated[
    list[int] | None,
    typer.Option(
        "--versus-pid",
        metavar="PID",
        min=1,
        help="A process of the second target's server, as --pid.",
        rich_help_panel=VERSUS,
    ),
]
VersusUnit = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-unit",
        metavar="NAME",
        help="The systemd unit of the second target's server, as --unit.",
        rich_help_panel=VERSUS,
    ),
]
VersusCgroup = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-cgroup",
        metavar="PATH",
        help="The control group of the second target's server, as --cgroup.",
        rich_help_panel=VERSUS,
    ),
]
VersusContainer = Annotated[
    list[str] | None,
    typer.Option(
        "--versus-container",
        metavar="NAME",
        help="The container of the second target's server, as --container.",
        rich_help_panel=VERSUS,
    ),
]
VersusCost = Annotated[
    str | None,
    typer.Option(
        "--versus-cost",
        metavar="PRICE",
        help="What the second system costs.",
        rich_help_panel=VERSUS,
    ),
]
VersusPasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--versus-password-file",
        help="File with the second target's password, if it differs. There is also an environment "
        "variable: docs/comparing-live.md.",
        rich_help_panel=VERSUS,
    ),
]
Pairs = Annotated[
    int | None,
    typer.Option(
        min=2,
        max=1000,
        help="With --versus: how often both run each level (6).",
        rich_help_panel=VERSUS,
    ),
]
PairOrder = Annotated[
    str | None,
    typer.Option(
        "--pair-order",
        metavar="abba|random",
        help="With --versus: which target starts each pair (abba).",
        rich_help_panel=VERSUS,
    ),
]
RUNS = Path("runs")
