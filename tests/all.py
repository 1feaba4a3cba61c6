"""Runs the tests of the crates beside those in Python, for both often wait for servers."""

import subprocess
import sys
from pathlib import Path

import rust

HERE = Path(__file__).parent
LOG = Path("target/rust-tests.log")


def main() -> int:
    """Build the tests of the crates, then run everything; 0 if all passed.

    What the crates' tests print is shown when the others have ended, so that lines stay together.
    Then those that failed run once more, with nothing beside them.
    """
    rust.KEPT.unlink(missing_ok=True)
    rust.build()  # rust.py reports a failure
    with LOG.open("wb") as log:
        crates = subprocess.Popen(
            [sys.executable, HERE / "rust.py"], stdout=log, stderr=subprocess.STDOUT
        )
        try:
            python = subprocess.run([sys.executable, HERE / "suite.py"], check=False).returncode
            code = crates.wait()
        finally:
            crates.terminate()
    print("\ntests of the crates:", flush=True)
    sys.stdout.buffer.write(LOG.read_bytes())
    sys.stdout.flush()
    if code:
        again = rust.failed_again()
        code = code if again is None else again
    return python or code


if __name__ == "__main__":
    sys.exit(main())
