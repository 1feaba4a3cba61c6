"""What a comparison checks before it contacts its targets."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from headcount.cli.console import err
from headcount.cli.versus import VersusDisplay
from headcount.controller.access import Secrets
from headcount.controller.versus import run
from headcount.controller.versus.asked import SideAsked
from headcount.errors import MachineLimitError
from versus_levels import plan


def test_the_ports_of_all_local_addresses_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine has too few ports for one address at a number of users that depends on it.
    asked: list[tuple[int, Sequence[str] | None]] = []

    def ensure(_protocol: str, users: int, local_ips: Sequence[str] | None = None) -> None:
        asked.append((users, local_ips))
        raise MachineLimitError("too few ports")

    monkeypatch.setattr(run, "check_engine", lambda: None)
    monkeypatch.setattr(run, "ensure_handles", ensure)
    addresses = ["127.0.0.2", "127.0.0.3"]
    side = SideAsked(plan(users=70_000, local_ips=addresses), Secrets())
    with pytest.raises(MachineLimitError):
        run.start({"A": side, "B": side}, run.Wanted(), tmp_path, VersusDisplay(err, quiet=True))
    assert asked == [(70_000, addresses)]
