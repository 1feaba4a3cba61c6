"""Signs of full pools that servers report: places in their views, and those who wait.

A full pool with waiting requests is the limit, unless what it leads to has become slow: the queue
is then a symptom of that.
"""

from dataclasses import dataclass

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.bundle.diagnosis import Figure
from headcount.counters.naming import split_instance
from headcount.text import count, duration, significant

ACCEPT_QUEUE = "upstream.accept_queue"
SOME_WAIT = (0.2, 1.0)
"""Mean waiting requests from which a full pool delays users, and from which it surely does."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool that a view reports.

    Attributes:
        used: Counter of the places in use.
        most: Counter of the places allowed.
        queue: Counter of those waiting for a place.
        took: Counter of the time that a place is held; None if the view has none.
        noun: A place, in singular and plural.
        setting: The setting that allows this many.
        accepts: Whether a place is a process that accepts connections itself.

    """

    used: str
    most: str
    queue: str
    took: str | None
    noun: tuple[str, str]
    setting: str
    accepts: bool = False


POOLS = (
    Pool(
        "haproxy.sessions.limited",
        "haproxy.sessions.limit",
        "haproxy.queue",
        "haproxy.response.duration",
        ("place of HAProxy's servers", "places of HAProxy's servers"),
        "maxconn",
    ),
    Pool(
        "php_fpm.processes.active",
        "php_fpm.processes.limit",
        "php_fpm.accept_queue",
        None,
        ("child of PHP-FPM", "children of PHP-FPM"),
        "pm.max_children",
        accepts=True,
    ),
)
SETTINGS = {pool.setting: pool.noun for pool in POOLS}
"""The noun for a place, by the setting that is the detail of a sign."""


def sign(level: Observation, seen: Saturation, taken: float) -> Sign | None:
    """How surely a reported pool is full; None if none is reported.

    `taken`, the strongest sign of a resource of the machine, leaves less for it.
    """
    found = [one for pool in POOLS if (one := _sign(pool, level, seen, taken)) is not None]
    return max(found, key=lambda one: one.score, default=None)


def _sign(pool: Pool, level: Observation, seen: Saturation, taken: float) -> Sign | None:
    allowed = level.mean(pool.most)
    if not allowed:
        return None
    used, waiting = level.mean(pool.used), level.mean(pool.queue)
    queued = _kernel_queue(level) if pool.accepts else None
    if queued is not None:
        # A full PHP-FPM has no child left to report its status, and does not count those waiting
        # at a Unix socket. The kernel does: it holds them while all children are busy.
        score = between(queued[1], *SOME_WAIT)
        figures = [_waits(level, *queued, f"waited for one of {count(allowed)} {pool.noun[1]}")]
    elif used is not None and waiting is not None:
        full = threshold("pool.busy")
        score = between(used / allowed, full - 0.15, full) * between(waiting, *SOME_WAIT)
        figures = [_full(pool, level, used, allowed)]
        figures.append(_waits(level, pool.queue, waiting, "waited for one, by its own count"))
    else:
        return None
    slower = _slower(pool, level, seen)
    if slower is not None:
        grown, shown = slower
        score *= 1 - between(grown, threshold("upstream.steady"), threshold("upstream.grown"))
        figures.append(shown)
    return Sign(
        "pool", pool.setting, score * max(1 - taken, 0.0), tuple(figures), allowed, "{worker}"
    )


def _full(pool: Pool, level: Observation, used: float, allowed: float) -> Figure:
    text = f"{significant(used)} of {count(allowed)} {pool.noun[1]} were in use ({pool.setting})"
    return figure(level, pool.used, used, text, threshold=threshold("pool.busy") * allowed)


def _waits(level: Observation, counter: str, waiting: float, what: str) -> Figure:
    return figure(level, counter, waiting, f"{significant(waiting)} requests {what}")


def _slower(pool: Pool, level: Observation, seen: Saturation) -> tuple[float, Figure] | None:
    """How many times as long a place is held as with few users."""
    light = seen.light
    if pool.took is None or light is None or light.users >= level.users:
        return None
    before, now = light.mean(pool.took), level.mean(pool.took)
    if not before or now is None:
        return None
    grown = now / before
    text = (
        f"the server behind it took {duration(now)}, {significant(grown)} times as long as with "
        "few users"
    )
    return grown, figure(level, pool.took, now, text, threshold=threshold("upstream.grown"))


def _kernel_queue(level: Observation) -> tuple[str, float] | None:
    """The longest queue of connections to a Unix socket behind the server; None without one."""
    queues = {
        name: value
        for name, value in level.means.get("sut", {}).items()
        if (parts := split_instance(name))[0] == ACCEPT_QUEUE
        and (parts[1] or "").startswith("unix:")
    }
    return max(queues.items(), key=lambda one: one[1], default=None)
