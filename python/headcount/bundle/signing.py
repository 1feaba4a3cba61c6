"""Who vouches for a bundle: a signature of its manifest, made and checked by OpenSSH.

The signature is OpenSSH's own (SSHSIG, `ssh-keygen -Y`), because administrators have such keys in
files, agents and hardware, and can check it without Headcount. This starts `ssh-keygen`, which may
ask for the key's passphrase.
"""

import base64
import binascii
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from headcount.bundle.files import replace
from headcount.bundle.manifest import MOST_BYTES, NAME, SIGNATURE
from headcount.errors import InputError, SystemLimitError
from headcount.foreign.file import content, has_regular
from headcount.output.folder import Folder

NAMESPACE = "headcount-bundle"
"""The namespace of the signature; a signature for another purpose does not count."""
SIGNER = "signer"
"""The name of a bare public key in the list of allowed signers."""
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_COLUMNS = 70
"""Length of the lines that ssh-keygen writes."""
_KEY_TYPES = ("ssh-", "ecdsa-", "sk-")
"""Prefixes of a line with a public key; a list of allowed signers begins with names."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature, checked.

    Attributes:
        valid: Whether it signs this manifest, and with an allowed key if keys were given.
        signer: Who is allowed with that key; None without a list of keys.
        text: The message of ssh-keygen.

    """

    valid: bool
    signer: str | None
    text: str


def sign(folder: Path, key: Path) -> Path:
    """Sign a bundle's manifest with a private key of OpenSSH; returns the signature's path.

    Raises InputError if the key cannot be used, SystemLimitError without OpenSSH.
    """
    path = folder / SIGNATURE
    with Folder(folder) as opened:
        opened.ensure_free(SIGNATURE)
    # Without a file name, ssh-keygen writes no file.
    manifest = content(folder / NAME, MOST_BYTES, follow=False).decode("utf-8", "replace")
    ended = _keygen("sign", "-f", str(key), "-n", NAMESPACE, text=manifest)
    if ended.returncode != 0 or not ended.stdout:
        raise InputError(f"cannot sign with {key}: {_ssh_message(ended)}")
    replace(path, ended.stdout)
    return path


def check(folder: Path, keys: Path | None) -> Signature | None:
    """Check a bundle's signature; None if it has none.

    `keys` is a public key, or a list of allowed signers as in ssh-keygen(1). Without it, the check
    only shows that the signature matches this manifest, not whose it is.
    """
    path = folder / SIGNATURE
    signers = None if keys is None else _allowed_signers(keys)
    if not has_regular(path):
        return None
    try:
        written = content(path, MOST_BYTES, follow=False)
        signed = content(folder / NAME, MOST_BYTES, follow=False).decode("utf-8", "replace")
    except InputError as error:
        return Signature(valid=False, signer=None, text=str(error))
    if not _canonical(written):
        return Signature(valid=False, signer=None, text="the file is not an OpenSSH signature")
    if signers is None:
        ended = _keygen("check-novalidate", "-n", NAMESPACE, "-s", str(path), text=signed)
        return Signature(ended.returncode == 0, None, _ssh_message(ended))
    with tempfile.TemporaryDirectory() as place:
        allowed = Path(place) / "allowed"
        allowed.write_text(signers, "utf-8")
        found = _keygen("find-principals", "-s", str(path), "-f", str(allowed))
        if found.returncode != 0:
            return Signature(valid=False, signer=None, text=f"not signed by a key of {keys}")
        name = found.stdout.splitlines()[0].strip()
        ended = _keygen(
            *("verify", "-f", str(allowed), "-I", name, "-n", NAMESPACE, "-s", str(path)),
            text=signed,
        )
        return Signature(ended.returncode == 0, name, _ssh_message(ended))


def _allowed_signers(keys: Path) -> str:
    """The list of allowed signers in a file, or made from its public keys."""
    try:
        text = content(keys, MOST_BYTES, what=f"the public key {keys}").decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the public key {keys} cannot be read: it is not text") from error
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines or any("PRIVATE KEY" in line for line in lines):
        raise InputError(f"{keys} is not a public key; give the file that ends in .pub")
    bare = [line for line in lines if line.startswith(_KEY_TYPES)]
    return "".join(f"{f'{SIGNER} {line}' if line in bare else line}\n" for line in lines)


def _canonical(written: bytes) -> bool:
    """Whether a signature is byte for byte as ssh-keygen writes it."""
    try:
        lines = written.decode("ascii").split("\n")
        data = base64.b64decode("".join(lines[1:-2]), validate=True)
    except (UnicodeDecodeError, binascii.Error):
        return False
    body = base64.b64encode(data).decode()
    rows = [body[i : i + _COLUMNS] for i in range(0, len(body), _COLUMNS)]
    return lines == [_BEGIN, *rows, _END, ""]


def _keygen(verb: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = ["ssh-keygen", "-Y", verb, *arguments]
    try:
        # Without `text` it reads only a passphrase, from the terminal.
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SystemLimitError(
            "ssh-keygen is not installed; install OpenSSH's client, 8.1 or newer "
            "(Debian: apt install openssh-client)"
        ) from error


def _ssh_message(ended: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (ended.stdout + "\n" + ended.stderr).splitlines()]
    return next((line for line in lines if line), "ssh-keygen says nothing")
