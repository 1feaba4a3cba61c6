"""What one request costs the client of the application server."""

from bench.example import build, run
from bench.figure import Figure

CONNECTIONS = 16
SECONDS = 2


def application() -> list[Figure]:
    """CPU of the client for each kind of request, server and client sharing this machine."""
    program = build("app", "echo_cost")
    printed = run([program, str(CONNECTIONS), str(SECONDS)])
    figures = []
    for line in printed.splitlines():
        # {op:read,bytes:4096}  a second, µs of network, service, client, queue p50, p99
        request, end, rest = line.rpartition("}")
        if not end:
            continue
        per_s, network_us, service_us, client_us, *_ = map(float, rest.split())
        name = f"{request.strip(' {')}, {per_s:,.0f}/s"
        server_us = network_us + service_us
        figures.append(Figure("request", name, client_us, "µs CPU", server_us, "server"))
    return figures
