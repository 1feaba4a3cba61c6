"""The workloads that come with Headcount: one TOML file for each benchmark re-created."""

import hashlib
from importlib import resources
from pathlib import Path

from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.plan.plan import validate
from headcount.plan.toml_file import toml_of, toml_text
from headcount.plan.workload import Workload


def names() -> list[str]:
    """The names of all workloads that come with Headcount."""
    files = resources.files(__name__).iterdir()
    return sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml"))


def load(name: str) -> Workload:
    """Read a workload by its name, or from a file when `name` ends with `.toml`."""
    if name.endswith(".toml"):
        text = toml_text(Path(name), f"the workload file {name}")
        return _from_text(text, name)
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


def _from_text(text: str, where: str) -> Workload:
    return validate(Workload, toml_of(text, where), where)
