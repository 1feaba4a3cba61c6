"""What a server leans on: a name server, a pipe that is read slowly, a job beside it."""

import os
import shlex
import sys

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start
from bench.foreign.tools import PROGRAMS


def names(component: Component, place: Place) -> Start:
    """A name server that is slow to answer."""
    command = [sys.executable, str(PROGRAMS / "names.py"), *place.flags]
    return Start([*command, *shlex.split(component.flags)], place.address)


def sink(component: Component, place: Place) -> Start:
    """The reader of a pipe; its address is the pipe's path."""
    path = place.folder / "log"
    os.mkfifo(path)
    command = [sys.executable, str(PROGRAMS / "sink.py"), "--path", str(path)]
    return Start([*command, *shlex.split(component.flags)], str(path), file=path)


def job(component: Component, place: Place) -> Start:
    """Somebody's job on a store; it begins once its file is there."""
    begun = place.folder / "begun"
    command = [sys.executable, str(PROGRAMS / "job.py"), "--begun", str(begun)]
    return Start([*command, *shlex.split(component.flags)], place.address, file=begun)
