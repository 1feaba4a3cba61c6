"""Names of limits in sentences. Reports need only this, not the code that finds a limit."""

from collections.abc import Mapping

from headcount.bundle.diagnosis import Limit

NAMES: Mapping[Limit, str] = {
    "cpu": "the CPU",
    "thread": "a single thread",
    "memory": "memory",
    "disk": "the disk",
    "network": "the network",
    "pool": "a pool of workers",
    "lock": "a lock",
    "upstream": "another server that it waits for",
    "limiter": "a rate limit",
    "delay": "a delay in each scenario",
    "pause": "pauses",
    "refusal": "refusals",
    "errors": "errors",
    "generator": "the load generator",
    "none": "nothing",
    "unknown": "something unknown",
}
