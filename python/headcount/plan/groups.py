"""Groups of scenarios: reported together, and named by criteria like one scenario."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from headcount.fields.mistakes import nearest


def matching(patterns: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    """The indices of the names that any pattern matches; `*` stands for any letters."""
    return tuple(
        index
        for index, name in enumerate(names)
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    )


def check_groups(groups: Mapping[str, Sequence[str]], names: Sequence[str]) -> None:
    """Raises ValueError if a group has a scenario's name, or a pattern that matches nothing."""
    for group, patterns in groups.items():
        if group in names or group == "all":
            raise ValueError(
                f'groups.{group}: "all" and names of scenarios are taken; choose another name'
            )
        if not patterns:
            raise ValueError(f"groups.{group}: it has no scenarios; name at least one")
        for pattern in patterns:
            if not matching([pattern], names):
                raise ValueError(
                    f'groups.{group}: no scenario is called "{pattern}"'
                    f"{nearest(pattern, list(names))}"
                )
