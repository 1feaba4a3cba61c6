"""`python -m headcount` and `headcount`: the command line, and Ctrl-C while it is loaded."""

import gc
import sys

COLLECT_AFTER = 50_000
"""New objects that trigger a garbage collection. Loading modules and models makes many objects that
all stay, so at the default of 700, collecting takes a twelfth of the CPU of a command."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(COLLECT_AFTER)
    try:
        from headcount.cli import main as run  # noqa: PLC0415 - it takes long enough to interrupt
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
