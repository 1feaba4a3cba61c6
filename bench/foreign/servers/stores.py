"""Databases with one called `shop`, pgbouncer before them, Redis and memcached."""

import os
import subprocess
import time
from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.servers.start import PASSWORD, Place, Start, as_nobody
from bench.foreign.servers.web import program

TRIES = 100
"""Attempts, 0.1 s apart, to reach a database that starts."""
BOUNCER = """
[databases]
shop = host={host} port={port} dbname=shop
[pgbouncer]
listen_addr = {own_host}
listen_port = {own_port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users
logfile = {folder}/log
pidfile = {folder}/pid
max_client_conn = 1000
ignore_startup_parameters = extra_float_digits
"""


def postgresql(component: Component, place: Place) -> Start:
    """Its superuser is `admin`; `shop` owns the database, and both have the same password."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
    home = Path(place.addresses["disk"]) if component.on_disk else place.folder
    data = home / "data"
    data.mkdir()
    place.folder.chmod(0o777)
    (place.folder / "secret").write_text(PASSWORD, "utf-8")
    account = as_nobody(data)
    how = ["--username=admin", "--auth=scram-sha-256", f"--pwfile={place.folder}/secret"]
    subprocess.run(
        [*account, programs / "initdb", "-D", data, *how, "--no-sync"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd="/",
    )
    with (data / "pg_hba.conf").open("a", encoding="utf-8") as file:
        file.write(f"host all all {place.network} scram-sha-256\n")
    settings = {"listen_addresses": place.host, "unix_socket_directories": ""}
    settings |= {"port": str(place.port)} | component.settings
    lines = [f"-c{key}={value}" for key, value in settings.items()]

    def after() -> None:
        say(place.address, "postgres", f"CREATE ROLE shop LOGIN PASSWORD '{PASSWORD}'")
        say(place.address, "postgres", "CREATE DATABASE shop OWNER shop")
        if component.before:
            say(place.address, "shop", component.before)

    command = [*account, str(programs / "postgres"), "-D", str(data), *lines]
    return Start(command, f"{place.address}/shop", after=after)


def pgbouncer(component: Component, place: Place) -> Start:
    """A pool of connections to the database of another component."""
    host, _, rest = place.addresses[component.database].partition(":")
    text = BOUNCER.format(
        host=host,
        port=rest.partition("/")[0],
        own_host=place.host,
        own_port=place.port,
        folder=place.folder,
    )
    text += "".join(f"{key} = {value}\n" for key, value in component.settings.items())
    (place.folder / "bouncer.ini").write_text(text, "utf-8")
    (place.folder / "users").write_text(f'"shop" "{PASSWORD}"\n', "utf-8")
    command = [*as_nobody(place.folder), program("pgbouncer"), str(place.folder / "bouncer.ini")]
    return Start(command, f"{place.address}/shop")


def redis(component: Component, place: Place) -> Start:
    """It keeps nothing."""
    command = [program("redis-server"), "--port", str(place.port), "--bind", place.host]
    command += ["--protected-mode", "no"]  # else only the loopback needs no password
    command += ["--save", "", "--appendonly", "no", "--dir", str(place.folder)]
    return Start([*command, *component.options.split()], place.address)


def say(address: str, database: str, text: str) -> None:
    """Run a statement as the superuser, as soon as the server has started."""
    host, _, port = address.partition(":")
    command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", host, "-p", port]
    command += ["-U", "admin", "-d", database]
    for last in (*(False for _ in range(TRIES)), True):
        done = subprocess.run(
            command,
            env={**os.environ, "PGPASSWORD": PASSWORD},
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return
        if last or "starting up" not in done.stderr:
            raise RuntimeError(f"{text}: {done.stderr.strip()}")
        time.sleep(0.1)


def mariadb(component: Component, place: Place) -> Start:
    """`shop` has all rights on its database, and no password."""
    home = Path(place.addresses["disk"]) if component.on_disk else place.folder
    data = home / "data"
    data.mkdir()
    place.folder.chmod(0o777)
    account = as_nobody(data)
    how = ["--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"]
    subprocess.run(
        [*account, program("mariadb-install-db"), *how, "--skip-test-db"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd="/",
    )
    socket = f"{place.folder}/socket"
    settings = {"port": str(place.port), "bind-address": place.host, "socket": socket}
    settings |= {"pid-file": f"{place.folder}/pid", "skip-name-resolve": "on"}
    settings |= {"innodb-buffer-pool-size": "64M", "max-connections": "200"} | component.settings
    lines = [f"--{key}={value}" for key, value in settings.items()]
    text = "CREATE DATABASE shop; CREATE USER shop; GRANT ALL ON shop.* TO shop; USE shop;"

    def after() -> None:
        subprocess.run(
            [program("mariadb"), "--no-defaults", "--socket", socket, "--user", "root"],
            input=f"{text}{component.before}",
            check=True,
            text=True,
            capture_output=True,
        )

    command = [*account, program("mariadbd"), "--no-defaults", f"--datadir={data}", *lines]
    return Start(command, place.address, after=after)


def memcached(component: Component, place: Place) -> Start:
    """With 64 MB."""
    command = [program("memcached"), "-l", place.host, "-p", str(place.port), "-u", "nobody"]
    return Start([*command, *component.options.split()], place.address)
