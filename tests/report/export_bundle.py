"""A real run of three short levels, to be exported."""

from pathlib import Path

from processes import Headcount

RUN = (
    *("run", "app-processor", "--target", "lab:app", "--levels", "4,1,8", "--duration", "2s"),
    *("--ramp", "200ms", "--settle", "200ms", "--think", "10ms", "--scale", "0.001", "--json"),
    *("--criteria", "p95<=10s"),
)


def exported_bundle(folder: Path) -> Path:
    """Run it, and return its bundle."""
    made = Headcount(folder)
    try:
        ended = made.run(*RUN)
        assert ended.code in (0, 4), ended.err  # a busy machine may make a level invalid
        return made.bundles()[0]
    finally:
        made.close()
