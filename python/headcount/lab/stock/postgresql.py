"""PostgreSQL as Debian's pg_createcluster makes it when the package is installed."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from headcount.errors import MachineLimitError
from headcount.lab import certificate
from headcount.lab.account import Account
from headcount.lab.installed import find
from headcount.lab.stock.rewrite import Rewrite
from headcount.lab.stock.shipped import Shipped

MAIN, HBA = "postgresql.conf", "pg_hba.conf"
USER = "postgres"
"""The account that Debian runs it as."""
LOCALE = "C.UTF-8"
"""Debian's default."""
HOME = "each run has folders of its own"
ANYBODY = "host all all samenet scram-sha-256"
_COMMON = Shipped(("postgresql-common",), "/usr/share/postgresql-common", ("createcluster.conf",))
_VALUE = r"^#?{} = (?:'[^'\n]*'|[^\s#]+)"


def etc_of(version: str) -> str:
    """Where the configuration is, as seen from the home."""
    return f"/etc/{version}/main"


def samples(version: str) -> Shipped:
    """The files that initdb of a version begins with."""
    folder = f"/usr/share/postgresql/{version}"
    return Shipped((f"postgresql-{version}",), folder, ("postgresql.conf.sample", "pg_*.sample"))


def rewrites(version: str) -> Sequence[Rewrite]:
    """All that differs from the cluster that the package of a version makes."""
    etc = f"/etc/postgresql/{version}/main"
    snakeoil = "each run has a certificate of its own"
    return (
        Rewrite(
            MAIN,
            f"data_directory = '/var/lib/postgresql/{version}/main'",
            "data_directory = '$home/data'",
            HOME,
        ),
        Rewrite(
            MAIN, f"hba_file = '{etc}/{HBA}'", f"hba_file = '$home{etc_of(version)}/{HBA}'", HOME
        ),
        Rewrite(
            MAIN,
            f"ident_file = '{etc}/pg_ident.conf'",
            f"ident_file = '$home{etc_of(version)}/pg_ident.conf'",
            HOME,
        ),
        Rewrite(MAIN, f"external_pid_file = '/var/run/postgresql/{version}-main.pid'", "", HOME),
        Rewrite(
            MAIN,
            "unix_socket_directories = '/var/run/postgresql'",
            "unix_socket_directories = '$home/run'",
            HOME,
        ),
        Rewrite(MAIN, "port = 5432", "port = $port", "a free port"),
        Rewrite(
            MAIN,
            "#listen_addresses = 'localhost'",
            "listen_addresses = '$host'",
            "the address that users of a run come to",
        ),
        Rewrite(
            MAIN,
            "ssl_cert_file = '/etc/ssl/certs/ssl-cert-snakeoil.pem'",
            f"ssl_cert_file = '$home/{certificate.CERTIFICATE}'",
            snakeoil,
        ),
        Rewrite(
            MAIN,
            "ssl_key_file = '/etc/ssl/private/ssl-cert-snakeoil.key'",
            f"ssl_key_file = '$home/{certificate.KEY}'",
            snakeoil,
        ),
        Rewrite(HBA, "", ANYBODY, "users of a run can have a network of its own"),
    )


def disclosed(version: str) -> dict[str, str]:
    """What was rewritten, for the disclosure of a run."""
    return {"locale": LOCALE, **dict(one.disclosed for one in rewrites(version))}


def create_command(version: str, home: Path, owner: Account, options: Sequence[str]) -> list[str]:
    """The command that makes a cluster in the home, `options` being those of initdb.

    Raises OSError, and MachineLimitError if Debian's program is missing or its files were changed.
    """
    program = find(
        "pg_createcluster",
        "profile=stock of lab:postgresql needs Debian or Ubuntu, whose pg_createcluster makes the "
        "configuration, and it is not here; leave out profile=stock",
    )
    samples(version).texts("lab:postgresql")
    (text,) = _COMMON.texts("lab:postgresql").values()
    configuration = home / "createcluster.conf"
    # It includes a folder in /etc with what was added on this machine.
    configuration.write_text(re.sub(r"^include_dir .*\n", "", text, flags=re.MULTILINE), "utf-8")
    return [
        *("env", f"PG_CLUSTER_CONF_ROOT={home}/etc", program, "--quiet", "--start-conf=manual"),
        # Otherwise it is on if the machine's certificate can be read.
        *(f"--createclusterconf={configuration}", "-o", "ssl=off", f"--locale={LOCALE}"),
        *("-u", str(owner.uid), "-g", str(owner.gid), "-d", f"{home}/data", "-s", f"{home}/run"),
        *("-l", f"{home}/log", version, "main", "--", *options),
    ]


def rewrite(version: str, fields: Mapping[str, str]) -> None:
    """Rewrite what the program made; raises OSError, and MachineLimitError for a missing line.

    `fields` are the run's `home`, `host` and `port`.
    """
    etc = Path(f"{fields['home']}{etc_of(version)}")
    text = (etc / MAIN).read_text("utf-8")
    as_shipped = Rewrite(MAIN, "ssl = on", "ssl = on", "")
    for one in (as_shipped, *rewrites(version)):
        if one.file == MAIN and one.written:
            text = _with_value(text, one, fields)
    (etc / MAIN).write_text(text, "utf-8")
    with (etc / HBA).open("a", encoding="utf-8") as file:
        file.write(f"{ANYBODY}\n")


def _with_value(text: str, one: Rewrite, fields: Mapping[str, str]) -> str:
    """The text with the value of a parameter; the comment behind it stays."""
    name = one.shipped.removeprefix("#").partition(" = ")[0]
    (line,) = one.lines(fields)
    found, times = re.subn(_VALUE.format(name), lambda _: line, text, flags=re.MULTILINE)
    if times != 1:
        raise MachineLimitError(
            f"{MAIN} of this version has no line for {name}, which profile=stock rewrites; leave "
            "out profile=stock, or use Debian 12"
        )
    return found
