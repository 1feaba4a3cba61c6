"""The workloads: a TOML file for each re-created benchmark, and those of installed packages."""

import hashlib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any

from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.foreign.file import content
from headcount.installed import added, refusal
from headcount.plan.line_numbers import line_numbers
from headcount.plan.lua_file import with_code
from headcount.plan.plan import validate
from headcount.plan.sent_files import with_paths
from headcount.plan.toml_file import MOST_BYTES, toml_of, toml_text
from headcount.plan.variables import with_folder
from headcount.plan.workload import Workload


def names() -> list[str]:
    """The names of all workloads: those of Headcount, and those of installed packages."""
    return sorted({*_own_names(), *_added()})


def load(name: str) -> Workload:
    """Read a workload by its name, or from a file when `name` ends with `.toml`."""
    text, where = text_of(name), name if name.endswith(".toml") else f"workload {name}"
    values, line_of = toml_of(text, where), line_numbers(text)
    if name.endswith(".toml"):
        check_is_workload(values, name)
        folder = Path(name).parent
        values = with_paths(with_folder(values, folder), folder)
        values = with_code(values, folder, where, line_of)
    return validate(Workload, values, where, line_of)


def text_of(name: str) -> str:
    """The text of a workload by its name, or of a file whose name ends with `.toml`."""
    if name.endswith(".toml"):
        return toml_text(Path(name), f"the workload file {name}")
    if name not in names():
        raise InputError(
            f'there is no workload "{name}"{nearest(name, names())} '
            "(headcount workloads lists them)"
        )
    return _file(name).read_text("utf-8")


def is_plan(values: Mapping[str, Any]) -> bool:
    """Whether a file with these values is a plan: it has a format, or holds a workload."""
    return "format" in values or ("workload" in values and "scenarios" not in values)


def check_is_workload(values: Mapping[str, Any], name: str) -> None:
    """Raise InputError for a plan, which holds a workload."""
    if "workload" in values and ("format" in values or "scenarios" not in values):
        raise InputError(
            f"{name} is a plan, not a workload; run it as it is (headcount run {name}), or copy "
            "its [workload] to a file of its own"
        )


def sha256(name: str) -> str:
    """The hash of the file that `load` reads."""
    if name.endswith(".toml"):
        found = content(Path(name), MOST_BYTES, what=f"the workload file {name}")
    else:
        found = _file(name).read_bytes()
    return hashlib.sha256(found).hexdigest()


def _own_names() -> list[str]:
    files = resources.files(__name__).iterdir()
    return [f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")]


def _added() -> dict[str, ModuleType]:
    return dict(added("workloads", "workload", ModuleType))


def _file(name: str) -> Traversable:
    """The file of a workload; a package cannot replace one of Headcount's."""
    if name in _own_names():
        return resources.files(__name__).joinpath(f"{name}.toml")
    package = _added()[name]
    if not hasattr(package, "__path__"):
        raise refusal("workloads", name, "workload", f"{package.__name__} is not a package")
    found = resources.files(package).joinpath(f"{name}.toml")
    if not found.is_file():
        why = f"there is no {name}.toml in {package.__name__}"
        raise refusal("workloads", name, "workload", why)
    return found
