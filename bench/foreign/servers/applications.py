"""The application of `programs`, under each of the runtimes that it is written for."""

import shlex

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start
from bench.foreign.tools import PROGRAMS


def go(component: Component, place: Place) -> Start:
    """On net/http."""
    program = str(place.tools.go())
    return Start([program, *place.flags, *_flags(component)], place.address)


def node(component: Component, place: Place) -> Start:
    """On Node's http."""
    modules = place.tools.node()
    command = ["node", *shlex.split(component.options), str(modules / "app.js")]
    return Start([*command, *place.flags, *_flags(component)], place.address)


def java(component: Component, place: Place) -> Start:
    """On the JDK's com.sun.net.httpserver."""
    command = ["java", *shlex.split(component.options), "-cp", place.tools.java(), "App"]
    return Start([*command, *place.flags, *_flags(component)], place.address)


def python(component: Component, place: Place) -> Start:
    """On http.server, with a thread for each connection."""
    command = [str(place.tools.python()), str(PROGRAMS / "app.py")]
    return Start([*command, *place.flags, *_flags(component)], place.address)


def gunicorn(component: Component, place: Place) -> Start:
    """Under gunicorn."""
    command = [str(place.tools.python()), "-m", "gunicorn", "--bind", place.address]
    command += ["--timeout", "120", "--graceful-timeout", "1", "--log-level", "error"]
    command += [*shlex.split(component.options), "--chdir", str(PROGRAMS), "app:wsgi"]
    return Start(command, place.address, {"APP_FLAGS": component.flags})


def uvicorn(component: Component, place: Place) -> Start:
    """Under uvicorn with one worker."""
    command = [str(place.tools.python()), "-m", "uvicorn", *place.flags]
    command += ["--no-access-log", "--log-level", "error"]
    command += ["--lifespan", "off", *shlex.split(component.options)]
    command += ["--app-dir", str(PROGRAMS), "app:asgi"]
    return Start(command, place.address, {"APP_FLAGS": component.flags})


def _flags(component: Component) -> list[str]:
    return shlex.split(component.flags)
