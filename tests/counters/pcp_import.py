"""Writes a PCP archive from JSON on the standard input, by PCP's own library.

A program of its own: the library is a package of Debian's, which only the system's Python has.
{"archive": base, "host": name, "metrics": {name: [unit, counter, instanced]},
"samples": [[seconds, {"name" or "name-instance": value}]]}
A metric may have a fourth field, its type, and "discrete" instead of whether it counts; a sample of
null instead of values is a gap. "version" is that of the format.
"""

import json
import sys

import cpmapi as api
from pcp import pmi

UNITS = {
    "count": (0, 0, 1, 0, 0, api.PM_COUNT_ONE),
    "Kbyte": (1, 0, 0, api.PM_SPACE_KBYTE, 0, 0),
    "byte": (1, 0, 0, api.PM_SPACE_BYTE, 0, 0),
    "millisec": (0, 1, 0, 0, api.PM_TIME_MSEC, 0),
    "microsec": (0, 1, 0, 0, api.PM_TIME_USEC, 0),
    "Mbyte / sec": (1, -1, 0, api.PM_SPACE_MBYTE, api.PM_TIME_SEC, 0),
    "none": (0, 0, 0, 0, 0, 0),
}


def main() -> None:
    wanted = json.load(sys.stdin)
    log = pmi.pmiLogImport(wanted["archive"])
    log.pmiSetHostname(wanted["host"])
    log.pmiSetTimezone("UTC")
    if "version" in wanted:
        log.pmiSetVersion(wanted["version"])
    known: dict[str, dict[str, int]] = {}
    domains = {}
    for number, (name, (unit, counter, instanced, *kind)) in enumerate(wanted["metrics"].items()):
        domain = log.pmiInDom(60, number) if instanced else api.PM_INDOM_NULL
        domains[name] = domain
        semantics = api.PM_SEM_COUNTER if counter else api.PM_SEM_INSTANT
        if counter == "discrete":
            semantics = api.PM_SEM_DISCRETE
        form = getattr(api, f"PM_TYPE_{kind[0]}") if kind else api.PM_TYPE_DOUBLE
        units = log.pmiUnits(*UNITS[unit])
        log.pmiAddMetric(name, log.pmiID(60, 1, number), form, domain, semantics, units)
        known[name] = {}
    for at_s, values in wanted["samples"]:
        if values is None:
            log.pmiPutMark()
            continue
        for key, value in values.items():
            name, _, instance = key.partition("-")
            if instance and instance not in known[name]:
                known[name][instance] = len(known[name])
                log.pmiAddInstance(domains[name], instance, known[name][instance])
            log.pmiPutValue(name, instance, repr(value))
        log.pmiWrite(int(at_s), round(at_s % 1 * 1e6))


main()
