"""A browser with its own profile that uses the recording proxy."""

import os
import shutil
import subprocess
from pathlib import Path

from headcount.errors import SystemLimitError

END_S = 10.0
"""Longest wait for a browser to end by itself."""
NAMES = ("chromium", "google-chrome", "chromium-browser", "google-chrome-stable", "microsoft-edge")
"""Browsers that accept a proxy on their command line."""


def start(proxy: str, profile: Path, address: str) -> subprocess.Popen[bytes]:
    """Open the address; the profile is a folder that nobody else uses.

    The browser trusts the proxy's certificate, and no other program does. Raises SystemLimitError
    if no such browser is installed.
    """
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        raise SystemLimitError(
            f"--browser needs one of {', '.join(NAMES)}, and none is on the PATH; leave --browser "
            "out, and let a browser of yours use the proxy"
        )
    command = [
        program,
        f"--user-data-dir={profile}",
        f"--proxy-server=http://{proxy}",
        "--proxy-bypass-list=<-loopback>",  # a target on this machine is recorded, too
        "--ignore-certificate-errors",
        "--no-first-run",
        "--no-default-browser-check",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        address,
    ]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end(browser: subprocess.Popen[bytes]) -> None:
    """Close a browser that was started here, and wait for it: it writes to its profile."""
    browser.terminate()
    try:
        browser.wait(END_S)
    except subprocess.TimeoutExpired:
        browser.kill()
        browser.wait()
