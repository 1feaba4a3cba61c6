"""Injects bottlenecks around real servers, and checks whether the diagnosis names them.

Each trial draws from a seed a server with a load, a class of limit and its strength, runs a short
ladder of Headcount against the server so limited, and has the diagnosis read the bundle and nothing
else. What was injected stands in a file beside the bundles (`truth.ndjson`).

**Held out.** Rules may be refined on the part `develop` and are judged on the part `held-out`:

- Dovecot and PostgreSQL appear in `held-out` alone, but for the class `lock`, which only PostgreSQL
  can have.
- Strengths are drawn from logarithmic ranges that are cut into eight sections. `develop` has the
  first, third, fifth and seventh of each, `held-out` the others.

**Truth.** A calibration run of each unlimited stage measures throughput and what one scenario takes
of each resource. Strengths are fractions of that, at most a half, so that the injected limit binds
and nothing else of the machine does. Two limits at once differ by a factor of two or more.
"""
