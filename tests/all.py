"""Runs the tests of the crates beside those in Python: both wait for servers most of the time."""

import subprocess
import sys
from pathlib import Path

from rust import COMMAND, PROGRAMS

HERE = Path(__file__).parent
LOG = Path("target/rust-tests.log")


def main() -> int:
    """Build the tests of the crates, then run everything; returns the first exit code but 0.

    What the crates' tests print is shown when the others have ended, so that lines stay together.
    """
    built = subprocess.run([*COMMAND, *PROGRAMS, "--no-run"], check=False).returncode
    if built:
        return built
    with LOG.open("wb") as log:
        rust = subprocess.Popen(
            [sys.executable, HERE / "rust.py"], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            python = subprocess.run([sys.executable, HERE / "suite.py"], check=False).returncode
            code = rust.wait()
        finally:
            rust.terminate()
    print("\ntests of the crates:", flush=True)
    sys.stdout.buffer.write(LOG.read_bytes())
    return python or code


if __name__ == "__main__":
    sys.exit(main())
