"""How each kind of server is started: `KINDS` is where a new one is registered."""

from collections.abc import Callable, Mapping

from bench.foreign.case import Component
from bench.foreign.servers.applications import go, gunicorn, java, node, python, uvicorn
from bench.foreign.servers.helpers import names, sink
from bench.foreign.servers.start import Place, Start
from bench.foreign.servers.stores import pgbouncer, postgresql, redis
from bench.foreign.servers.web import caddy, haproxy, lighttpd, nginx, php

KINDS: Mapping[str, Callable[[Component, Place], Start]] = {
    "go": go,
    "node": node,
    "java": java,
    "python": python,
    "gunicorn": gunicorn,
    "uvicorn": uvicorn,
    "nginx": nginx,
    "haproxy": haproxy,
    "lighttpd": lighttpd,
    "caddy": caddy,
    "php": php,
    "postgresql": postgresql,
    "pgbouncer": pgbouncer,
    "redis": redis,
    "names": names,
    "sink": sink,
}
