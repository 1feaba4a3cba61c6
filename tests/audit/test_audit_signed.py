"""Signatures of bundles, made and checked by the real ssh-keygen."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount.analyse.audit.result import Result
from headcount.bundle import manifest, reader, signing
from headcount.cli.audit import audited
from headcount.errors import InputError
from headcount.report import assemble


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the keys of two people."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ada", "bob"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name]
        subprocess.run(command, check=True)
    return folder


@pytest.fixture
def signed(bundle: Path, keys: Path) -> Path:
    signing.sign(bundle, keys / "ada")
    return bundle


def signature(bundle: Path, allowed: Path | None) -> Result:
    return next(one for one in audited(bundle, allowed).results if one.check == "signature")


def test_the_right_key_passes_and_another_fails(signed: Path, keys: Path) -> None:
    assert signature(signed, keys / "ada.pub").outcome == "passed"
    assert signature(signed, keys / "bob.pub").outcome == "failed"
    nobody = signature(signed, None)
    assert nobody.outcome == "unknown"
    assert "the key's owner was not checked" in nobody.sentence


def test_a_key_that_cannot_sign_leaves_the_old_signature(tmp_path: Path, keys: Path) -> None:
    (tmp_path / "plan.toml").write_text("")
    manifest.write(tmp_path)
    signing.sign(tmp_path, keys / "ada")
    with pytest.raises(InputError, match="cannot sign with"):
        signing.sign(tmp_path, keys / "nobody")
    left = signing.check(tmp_path, keys / "ada.pub")
    assert left is not None
    assert left.valid
    signing.sign(tmp_path, keys / "bob")
    replaced = signing.check(tmp_path, keys / "bob.pub")
    assert replaced is not None
    assert replaced.valid


def test_a_list_of_allowed_signers_names_the_signer(
    signed: Path, keys: Path, tmp_path: Path
) -> None:
    allowed = tmp_path / "allowed"
    lines = [
        f"{who}@example.com {(keys / f'{who}.pub').read_text('utf-8')}" for who in ("bob", "ada")
    ]
    allowed.write_text("".join(["# who may sign\n", *lines]), "utf-8")
    found = signature(signed, allowed)
    assert found.outcome == "passed"
    assert "ada@example.com" in found.sentence


def test_openssh_alone_can_check_it(signed: Path, keys: Path, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ada {(keys / 'ada.pub').read_text('utf-8')}", "utf-8")
    command = ["ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "ada", "-n", "headcount-bundle"]
    with (signed / "manifest.json").open("rb") as file:
        ended = subprocess.run(
            [*command, "-s", signed / "manifest.json.sig"],
            stdin=file,
            capture_output=True,
            check=False,
        )
    assert ended.returncode == 0


def test_a_signature_for_something_else_does_not_count(bundle: Path, keys: Path) -> None:
    path = bundle / "manifest.json"
    command = ["ssh-keygen", "-Y", "sign", "-f", keys / "ada", "-n", "file", path]
    subprocess.run(command, check=True, capture_output=True)
    assert signature(bundle, keys / "ada.pub").outcome == "failed"
    assert signature(bundle, None).outcome == "failed"


def test_a_byte_altered_in_the_signature_or_the_list_fails(signed: Path, keys: Path) -> None:
    path = signed / "manifest.json.sig"
    content = path.read_bytes()
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        found = signing.check(signed, None)
        assert found is not None
        assert not found.valid, at
    path.write_bytes(content)
    (signed / "note.txt").write_text("new", "utf-8")
    entries = manifest.read(signed)
    assert entries is not None
    new = {**entries.files, "note.txt": manifest.manifest_entry(b"new")}
    (signed / "manifest.json").write_text(manifest.manifest_text(new), "utf-8")
    assert signature(signed, keys / "ada.pub").outcome == "failed"


def test_an_unsigned_bundle_fails_if_a_key_is_given(bundle: Path, keys: Path) -> None:
    found = signature(bundle, keys / "ada.pub")
    assert (found.outcome, found.places[0].text) == (
        "failed",
        "is missing: the bundle is not signed",
    )


def test_invalid_keys_are_refused(signed: Path, keys: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a public key"):
        signing.check(signed, keys / "ada")
    with pytest.raises(InputError, match="cannot be read"):
        signing.check(signed, tmp_path / "nothing.pub")
    with pytest.raises(InputError, match="cannot sign with"):
        signing.sign(signed, tmp_path / "nothing")


def test_nothing_is_written_into_a_signed_bundle(signed: Path, tmp_path: Path) -> None:
    before = (signed / "report.html").read_bytes()
    found = reader.load(signed)
    with pytest.raises(InputError, match="is signed"):
        assemble.write(found)
    assert (signed / "report.html").read_bytes() == before
    assert assemble.write(found, tmp_path / "report.html").exists()


def test_the_command_signs_what_passes_and_nothing_else(bundle: Path, keys: Path) -> None:
    def audit(*arguments: str | Path) -> Any:
        return CliRunner().invoke(app, ["audit", str(bundle), *map(str, arguments)])

    # Of a machine that is busy with other tests, a level may be invalid.
    passes = audited(bundle).outcome == "passed"
    assert audit("--sign", keys / "ada").exit_code == (0 if passes else 1)
    assert (bundle / "manifest.json.sig").exists() == passes
    signing.sign(bundle, keys / "ada")
    answer = json.loads(audit("--verify", keys / "ada.pub", "--json").stdout)
    outcomes = {one["check"]: one["outcome"] for one in answer["results"]}
    assert outcomes["signature"] == outcomes["files"] == "passed"
    (bundle / "events.ndjson").write_bytes(b"")
    ended = audit("--sign", keys / "bob")
    assert ended.exit_code == 1
    assert signature(bundle, keys / "ada.pub").outcome == "passed"  # the old one stands
