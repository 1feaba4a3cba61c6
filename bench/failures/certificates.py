"""Certificates of a faulty web server, made by openssl."""

import subprocess
from pathlib import Path

from bench.failures.case import Case

AUTHORITY, CERTIFICATE, KEY = "authority.pem", "server.pem", "server.key"
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
NAMES = {"other-name": "DNS:shop.example.com"}
"""The name in the certificate, if not the server's address."""
DAYS = {"expired": "-1"}
"""Its validity in days, if not a month."""

Words = list[str | Path]
"""The words of a command."""


def lines(case: Case, folder: Path) -> str:
    """The end of nginx's `listen`, and the lines that name the certificate of a case."""
    make(case.certificate, folder)
    files = f"ssl_certificate {folder}/{CERTIFICATE};  ssl_certificate_key {folder}/{KEY}"
    return f" ssl;  {files}"


def make(kind: str, folder: Path, address: str = "127.0.0.1") -> None:
    """Make the certificate, and the authority that signed it."""
    (folder / "names").write_text(f"subjectAltName={NAMES.get(kind, f'IP:{address}')}\n", "ascii")
    subject: Words = ["-subj", f"/CN={address}"]
    if kind == "self-signed":
        made: Words = ["-keyout", folder / KEY, "-out", folder / CERTIFICATE]
        names = (folder / "names").read_text("ascii").strip()
        _run("req", "-x509", *CURVE, "-days", "30", *subject, "-addext", names, *made)
        return
    authority = folder / "authority.key"
    made = ["-keyout", authority, "-out", folder / AUTHORITY]
    _run("req", "-x509", *CURVE, "-days", "30", "-subj", "/CN=Company", *made)
    request = folder / "server.csr"
    _run("req", *CURVE, *subject, "-keyout", folder / KEY, "-out", request)
    signer: Words = ["-CA", folder / AUTHORITY, "-CAkey", authority, "-CAcreateserial"]
    days: Words = ["-days", DAYS.get(kind, "30"), "-extfile", folder / "names"]
    _run("x509", "-req", "-in", request, *signer, *days, "-out", folder / CERTIFICATE)


def _run(*words: str | Path) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
