"""A certificate for a lab server, made by openssl."""

from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import port
from headcount.lab.installed import Packages, command_output, find

AUTHORITY, CERTIFICATE, KEY = "authority.pem", "server.pem", "server.key"
KIND = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
"""P-256, as on most public web servers; valid for longer than any run."""
PACKAGES = Packages("openssl")


def make(folder: Path) -> None:
    """Make an authority, and a certificate for the lab's address signed by it, in a folder."""
    openssl = find("openssl", PACKAGES.advice("TLS on a lab server needs openssl"))
    authority, request = folder / "authority.key", folder / "server.csr"
    names = folder / "names"
    try:
        names.write_text(f"subjectAltName=IP:{port.host()}\n", "ascii")
    except OSError as error:
        raise SystemLimitError(f"cannot write {names}: {error.strerror}") from error
    issued = ["-CA", str(folder / AUTHORITY), "-CAkey", str(authority), "-CAcreateserial"]
    command_output(
        [
            *(openssl, "req", "-x509", *KIND, "-keyout", str(authority)),
            *("-out", str(folder / AUTHORITY), "-subj", "/CN=Headcount lab authority"),
        ]
    )
    command_output(
        [
            *(openssl, "req", *KIND, "-keyout", str(folder / KEY), "-out", str(request)),
            *("-subj", f"/CN={port.host()}"),
        ]
    )
    command_output(
        [
            *(openssl, "x509", "-req", "-in", str(request), *issued, "-days", "30"),
            *("-extfile", str(names), "-out", str(folder / CERTIFICATE)),
        ]
    )
