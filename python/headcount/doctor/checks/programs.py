"""Programs of other packages: lab servers, and what some options need."""

from collections.abc import Iterable, Mapping

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, missing, ok
from headcount.doctor.trials import Program
from headcount.errors import SystemLimitError
from headcount.lab.installed import NotInstalledError, Packages, apt_command


def lab_servers(machine: Machine) -> Outcome:
    """Which lab servers can start."""
    errors = _errors(machine.servers)
    names = ", ".join(name for name in machine.servers if name not in errors)
    if not errors:
        return ok(names, "They start here, beside lab:app and lab:files.")
    read = "; ".join(
        [
            *_listed("not installed for ", _absent(errors)),
            *(str(error) for error in errors.values() if not isinstance(error, NotInstalledError)),
        ]
    )
    fixes = _install(machine, [machine.servers[name].packages for name in _absent(errors)])
    if not names:
        return missing(read, "Only lab:app and lab:files start here.", *fixes)
    return limited(read, f"These start: lab:app, lab:files, {names}.", *fixes)


def helpers(machine: Machine) -> Outcome:
    """Which programs that options need are installed."""
    wanted = {
        name: one for name, one in machine.helpers.items() if machine.uid == 0 or not one.for_root
    }
    absent = _absent(_errors(wanted))
    if not absent:
        return ok(", ".join(wanted), "Every option has its program.")
    return limited(
        f"not installed: {', '.join(absent)}",
        f"Needed for {', '.join(wanted[name].purpose for name in absent)}.",
        *_install(machine, [wanted[name].packages for name in absent]),
    )


def _errors(programs: Mapping[str, Program]) -> dict[str, SystemLimitError]:
    """Why programs cannot be used, by name."""
    found = {}
    for name, program in programs.items():
        try:
            program.look()
        except SystemLimitError as error:
            found[name] = error
    return found


def _absent(errors: Mapping[str, SystemLimitError]) -> list[str]:
    return [name for name, error in errors.items() if isinstance(error, NotInstalledError)]


def _listed(before: str, names: list[str]) -> list[str]:
    return [before + ", ".join(names)] if names else []


def _install(machine: Machine, packages: Iterable[Packages]) -> list[str]:
    """The command that installs packages here."""
    wanted = list(packages)
    if not wanted:
        return []
    if machine.has_program("dnf") and not machine.has_program("apt-get"):
        names = " ".join(one.fedora or one.debian for one in wanted)
        return [machine.as_root(f"dnf install -y {names}")]
    return [machine.as_root(apt_command(name for one in wanted for name in one.debian.split()))]
