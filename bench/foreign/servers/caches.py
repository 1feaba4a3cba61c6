"""Squid and Varnish before other servers."""

from bench.foreign.case import Component
from bench.foreign.servers.start import Place, Start
from bench.foreign.servers.web import program, written

SQUID = """
http_port {address} accel defaultsite=shop.test no-vhost
visible_hostname shop.test
pid_filename none
coredump_dir {folder}
cache_log {folder}/cache.log
access_log none
cache_store_log none
netdb_filename none
icp_port 0
shutdown_lifetime 0 seconds
{config}
http_access allow all
"""
REWRITER = """#!/usr/bin/perl
# Looks an address up somewhere, for as many ms as its argument says, and changes nothing.
use Time::HiRes qw(sleep);
$| = 1;
while (<STDIN>) { sleep $ARGV[0] / 1000; print "ERR\\n"; }
"""
VARNISH = """
vcl 4.1;
{config}
"""


def squid(component: Component, place: Place) -> Start:
    """As a reverse proxy, in one process, with its cache in memory; the case names its peer.

    `{rewriter}` is a program that it may ask about each address.
    """
    place.folder.chmod(0o777)  # it changes to an account of its own
    rewriter = place.folder / "rewriter"
    rewriter.write_text(REWRITER, "utf-8")
    rewriter.chmod(0o755)
    config = component.config.replace("{rewriter}", str(rewriter))
    text = SQUID.format(address=place.address, folder=place.folder, config=config)
    path = written(place, "squid.conf", text)
    return Start([program("squid"), "-N", "-n", f"s{place.port}", "-f", path], place.address)


def varnish(component: Component, place: Place) -> Start:
    """With the backend and the rules of the case."""
    path = written(place, "shop.vcl", VARNISH.format(config=component.config))
    command = [program("varnishd"), "-F", "-j", "none", "-a", place.address, "-f", path]
    command += ["-n", str(place.folder / "work"), "-s", "malloc,64m"]
    return Start([*command, *component.options.split()], place.address)
