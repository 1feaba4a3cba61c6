"""The shops of `programs`, under servers of other languages and frameworks."""

import shlex

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start
from bench.foreign.servers.web import program
from bench.foreign.tools import PROGRAMS

PATH = {"PYTHONPATH": str(PROGRAMS)}


def uwsgi(component: Component, place: Place) -> Start:
    """uWSGI with its own HTTP router."""
    how = ["--http", place.address, "--http-keepalive=60"]
    return _uwsgi(component, place, how)


def uwsgi_socket(component: Component, place: Place) -> Start:
    """uWSGI that speaks its own protocol to a web server."""
    return _uwsgi(component, place, ["--socket", place.address])


def _uwsgi(component: Component, place: Place, how: list[str]) -> Start:
    command = [program("uwsgi-core"), "--plugins-dir", "/usr/lib/uwsgi/plugins"]
    command += ["--plugin", "http,python311", *how, "--master", "--die-on-term", "--need-app"]
    command += ["--disable-logging", "--pythonpath", str(PROGRAMS), "--module", "shop:wsgi"]
    return _start(component, [*command, *shlex.split(component.options)], place.address)


def waitress(component: Component, place: Place) -> Start:
    """Its default of four threads unless `options` has another number."""
    command = [str(place.tools.shops()), "-m", "waitress", f"--listen={place.address}"]
    command += ["--connection-limit=1000", *shlex.split(component.options), "shop:wsgi"]
    return _start(component, command, place.address)


def hypercorn(component: Component, place: Place) -> Start:
    """With one worker."""
    command = [str(place.tools.shops()), "-m", "hypercorn", "--bind", place.address]
    command += ["--backlog", "1024", "--keep-alive", "60", *shlex.split(component.options)]
    return _start(component, [*command, "shop:asgi"], place.address)


def puma(component: Component, place: Place) -> Start:
    """Of Ruby."""
    command = [program("puma"), "--bind", f"tcp://{place.address}", "--environment", "production"]
    command += [*shlex.split(component.options), str(PROGRAMS / "shop.ru")]
    return _start(component, command, place.address)


def starman(component: Component, place: Place) -> Start:
    """Of Perl."""
    command = [program("starman"), "--listen", place.address, *shlex.split(component.options)]
    return _start(component, [*command, str(PROGRAMS / "shop.psgi")], place.address)


def express(component: Component, place: Place) -> Start:
    """On Node."""
    command = ["node", *shlex.split(component.options), str(place.tools.express() / "shop.js")]
    command += [*place.flags, *shlex.split(component.flags)]
    return _start(component, command, place.address)


def tomcat(component: Component, place: Place) -> Start:
    """Embedded in a program."""
    command = ["java", *shlex.split(component.options), "-cp", place.tools.tomcat(), "Shop"]
    command += [*place.flags, "--base", str(place.folder)]
    return Start([*command, *shlex.split(component.flags)], place.address)


def axum(component: Component, place: Place) -> Start:
    """On tokio, in Rust."""
    command = [str(place.tools.axum()), *place.flags]
    return Start([*command, *shlex.split(component.flags)], place.address)


def store(component: Component, place: Place) -> Start:
    """Go before MariaDB or memcached."""
    command = [str(place.tools.store()), *place.flags]
    return Start([*command, *shlex.split(component.flags)], place.address)


def _start(component: Component, command: list[str], address: str) -> Start:
    return Start(command, address, {**PATH, "APP_FLAGS": component.flags})
