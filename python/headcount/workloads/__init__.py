"""The workloads that come with Headcount: one TOML file for each benchmark re-created."""

import hashlib
import tomllib
from importlib import resources
from pathlib import Path

from headcount.errors import InputError
from headcount.plan.mistakes import nearest
from headcount.plan.plan import validate
from headcount.plan.workload import Workload


def names() -> list[str]:
    """The names of all workloads that come with Headcount."""
    files = resources.files(__name__).iterdir()
    return sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml"))


def load(name: str) -> Workload:
    """Read a workload by its name, or from a file when `name` ends with `.toml`."""
    if name.endswith(".toml"):
        return _from_text(_read(Path(name)), name)
    if name not in names():
        raise InputError(
            f'there is no workload "{name}"{nearest(name, names())} '
            "(headcount workloads lists them)"
        )
    text = resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
    return _from_text(text, f"workload {name}")


def sha256(name: str) -> str:
    """The hash of the file that `load` reads."""
    own = resources.files(__name__).joinpath(f"{name}.toml")
    contents = Path(name).read_bytes() if name.endswith(".toml") else own.read_bytes()
    return hashlib.sha256(contents).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the workload file {path} cannot be read: {error}") from error


def _from_text(text: str, where: str) -> Workload:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where} is not valid TOML: {error}") from error
    return validate(Workload, values, where)
