"""Lines of shipped files that the lab rewrites, each with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

from headcount.errors import MachineLimitError


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One line of a shipped file that the lab must replace.

    Attributes:
        file: The file, as seen from the folder of the shipped ones.
        shipped: The line, without blanks around it; empty to add lines at the end.
        written: The lines in its place, with `$home`, `$port` etc.; none to leave it out.
        why: The reason, for the disclosure.

    """

    file: str
    shipped: str
    written: str
    why: str

    def lines(self, fields: Mapping[str, str]) -> list[str]:
        """The lines in its place, with the paths and ports of a run."""
        return Template(self.written).substitute(fields).splitlines()

    @property
    def disclosed(self) -> tuple[str, str]:
        """Which line was rewritten, and to what; the same for each run."""
        template = Template(self.written)
        names = {name: name.upper() for name in template.get_identifiers()}
        lines = [line.strip() for line in template.substitute(names).splitlines()]
        what = f"rewritten: {self.shipped}" if self.shipped else f"added: {lines[0]} ..."
        return f"{self.file}, {what}", f"{' / '.join(lines) or 'left out'} ({self.why})"


def rewritten(
    name: str, text: str, all_of_them: Sequence[Rewrite], fields: Mapping[str, str]
) -> str:
    """A shipped file with its lines rewritten.

    Raises MachineLimitError if it lacks a line that must be rewritten: without that, the server
    would use folders and ports of this machine's own.
    """
    lines = text.splitlines()
    for one in all_of_them:
        if one.file != name:
            continue
        new = one.lines(fields)
        if not one.shipped:
            lines += new
            continue
        if one.shipped not in (line.strip() for line in lines):
            raise MachineLimitError(
                f'{name} of this version has no line "{one.shipped}", which profile=stock '
                "rewrites; leave out profile=stock, or use Debian 12"
            )
        lines = [
            line
            for old in lines
            for line in (_indented(old, new) if old.strip() == one.shipped else [old])
        ]
    return "".join(f"{line}\n" for line in lines)


def _indented(old: str, new: Sequence[str]) -> list[str]:
    """New lines, indented like the old one."""
    margin = old[: len(old) - len(old.lstrip())]
    return [margin + line for line in new]
