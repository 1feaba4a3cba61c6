"""`lab:ha-web`: two real nginx with the same pages behind one address.

The address is that of a real HAProxy on a loopback port, or one that keepalived moves between them.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import InputError
from headcount.lab import ha_web_haproxy, keepalived, setting
from headcount.lab.ha_web_haproxy import BalancedPair
from headcount.lab.ha_web_pair import WebPair
from headcount.lab.node import Node, NodeStates, down, end
from headcount.lab.pair import NAMES
from headcount.lab.setting import Setting

FRONT = Setting(
    "haproxy",
    ("haproxy", "keepalived"),
    "none",
    "What users speak to: an HAProxy, which asks both nodes, with the settings above; or one node "
    "by an address that keepalived moves, with those below.",
)
VRRP = "vrrp_"
"""Prefix of keepalived's settings here, because HAProxy has checks, too."""
HA_WEB: Mapping[str, Setting] = {
    **ha_web_haproxy.SETTINGS,
    "front": FRONT,
    "down": down(NAMES[1]),
    **{f"{VRRP}{key}": one for key, one in keepalived.SETTINGS.items()},
}


class HaWebServer:
    """Two nginx and what is in front of them in the lab, running.

    Attributes:
        known: What `[server]` may set.

    """

    known = HA_WEB
    authority: Path | None = None
    status_url: str | None = None

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        complete(settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start them; raises InputError for settings they do not have, else SystemLimitError."""
        self.settings: Mapping[str, str] = complete(settings)
        with ExitStack() as parts:
            self._front: BalancedPair | WebPair = (
                WebPair(parts, {key.removeprefix(VRRP): one for key, one in self.settings.items()})
                if self.settings["front"] == "keepalived"
                else BalancedPair(parts, self.settings)
            )
            if self.settings["down"] != "none":
                end(next(one for one in self._front.nodes if one.name == self.settings["down"]))
                self._front.wait_until_noticed()
            self._parts = parts.pop_all()
        self.programs: Mapping[str, str] = self._front.programs
        self.logs: Mapping[str, Path] = self._front.logs
        self.home = self._front.home
        self.address = self._front.address
        self.url = f"http://{self.address}"

    @property
    def nodes(self) -> Sequence[Node]:
        """The two nginx."""
        return self._front.nodes

    @property
    def node_states(self) -> NodeStates:
        """Which node gets requests."""
        return self._front.node_states

    @property
    def data(self) -> Path:
        """The folder that both nodes serve; the data set's pages go there."""
        return self._front.data

    @property
    def pids(self) -> list[int]:
        """The first processes of all of them."""
        return self._front.pids

    @property
    def most(self) -> Mapping[str, int]:
        """How many connections it takes at a time: one node must be enough."""
        return self._front.most

    def stop(self) -> None:
        """End all of it and delete what it stored; safe to call twice."""
        self._parts.close()


def complete(given: Mapping[str, str]) -> dict[str, str]:
    """All settings of the wanted front; raises InputError for wrong ones."""
    whole = setting.complete("ha-web", HA_WEB, given)
    others = ha_web_haproxy.SETTINGS if whole["front"] == "keepalived" else VRRP_KEYS
    wrong = [key for key in given if key in others]
    if wrong:
        raise InputError(f"front={whole['front']} takes no {', '.join(wrong)}")
    return {key: value for key, value in whole.items() if key not in others}


VRRP_KEYS = frozenset(key for key in HA_WEB if key.startswith(VRRP))
