"""How each kind of server is started: `KINDS` is where a new one is registered."""

from collections.abc import Callable, Mapping

from bench.foreign.case import Component
from bench.foreign.servers.apache import apache
from bench.foreign.servers.applications import go, gunicorn, java, node, python, uvicorn
from bench.foreign.servers.caches import squid, varnish
from bench.foreign.servers.frameworks import (
    axum,
    express,
    hypercorn,
    puma,
    starman,
    store,
    tomcat,
    uwsgi,
    uwsgi_socket,
    waitress,
)
from bench.foreign.servers.helpers import job, names, sink
from bench.foreign.servers.mail import dovecot, exim, postfix
from bench.foreign.servers.samba import samba
from bench.foreign.servers.start import Place, Start
from bench.foreign.servers.stores import mariadb, memcached, pgbouncer, postgresql, redis
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
    "job": job,
    "apache": apache,
    "squid": squid,
    "varnish": varnish,
    "uwsgi": uwsgi,
    "uwsgi-socket": uwsgi_socket,
    "waitress": waitress,
    "hypercorn": hypercorn,
    "puma": puma,
    "starman": starman,
    "express": express,
    "tomcat": tomcat,
    "axum": axum,
    "store": store,
    "mariadb": mariadb,
    "memcached": memcached,
    "exim": exim,
    "samba": samba,
    "dovecot": dovecot,
    "postfix": postfix,
}
