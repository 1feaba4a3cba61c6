"""`python -m headcount` and `headcount`: the command line, and Ctrl-C while it is loaded."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from headcount.cli import main as run  # noqa: PLC0415 - it takes long enough to interrupt
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
