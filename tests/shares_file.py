"""A made-up result of the experiment with shares, of which the costs are known."""

from headcount.analyse import shares as analysis
from headcount.bundle.shares import LeftOut, ShareCapacity, SharesFile, SharesPoint

SHARES = (1, 1000)
CONNECTIONS = (1, 20)
CHAINS = (((1, 0), (1, 10), (1, 100)), ((1, 0), (10, 0)))
OPEN_FILE_BYTES = 3_200
NET_USE_BYTES = 7_300


def held_bytes(shares: int, connections: int, net_uses: int, open_files: int) -> float:
    """What the server holds, without noise: in whole kilobytes a share and a connection."""
    each = 700e3 + 2e3 * shares + NET_USE_BYTES * (net_uses - 1) + OPEN_FILE_BYTES * open_files
    first = 77e3 if open_files else 0
    return 5e6 + 1e3 * shares + connections * (each + first)


def points() -> list[SharesPoint]:
    """All points, start by start. The kernel's memory goes up and down by itself."""
    made: list[SharesPoint] = []
    start = 0
    for shares in SHARES:
        for connections in CONNECTIONS:
            for chain in CHAINS:
                held = [(0, 1, 0), *((connections, *each) for each in chain)]
                for index, (there, net_uses, open_files) in enumerate(held):
                    point = SharesPoint(
                        start=start,
                        shares=shares,
                        connections=there,
                        net_uses=net_uses,
                        open_files=open_files,
                        processes=3 + there,
                        process_bytes=held_bytes(shares, there, net_uses, open_files),
                        spread_bytes=0.0,
                        kernel_bytes=100e6 + 7e6 * ((13 * len(made)) % 5),
                        logon_cpu_s=(0.005 + 4e-6 * shares) * there if index == 1 else None,
                        net_use_cpu_s=(1e-4 + 2e-7 * shares) * there * 9 if net_uses > 1 else None,
                    )
                    made.append(point)
                start += 1
    return made


def shares_result() -> SharesFile:
    """The whole result."""
    held = points()
    fits, doubts = analysis.fits(held)
    lost = LeftOut(shares=1000, connections=400, net_uses=1, open_files=0, reason="memory ran out")
    capacity = ShareCapacity(
        shares=1,
        bundle="runs/one",
        sentence="120 users.",
        estimate=120.0,
        low=110.0,
        high=131.0,
        change=None,
        change_low=None,
        change_high=None,
        compared="1 share: 120 users [110, 131]; the others are compared with this.",
        flags=["other programs used 1 of 2 CPUs"],
    )
    return SharesFile(
        headcount="0.1.0",
        started_at="2026-01-01T00:00:00.000+00:00",
        target="lab:samba",
        programs={"samba": "4.17.12"},
        outcome="finished",
        counted=analysis.COUNTED,
        not_counted=analysis.NOT_COUNTED,
        points=held,
        left_out=[lost],
        fits=fits,
        sentences=analysis.sentences(fits),
        doubts=[*doubts, "one was left out"],
        capacities=[capacity],
    )
