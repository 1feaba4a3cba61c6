"""Data that an agent makes for a controller."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from headcount import _engine
from headcount.errors import HeadcountError
from headcount.generator.message import Message


class CancelledError(Exception):
    """The controller has cancelled it, or is gone."""


class Making:
    """The data of some users, made by a thread while the agent still listens to its controller."""

    def __init__(self, order: Mapping[str, Any], send: Callable[[Message], None]) -> None:
        """Start to make what a `make` message asks for."""
        self._order, self._send = order, send
        self._is_cancelled = False
        self._thread = threading.Thread(target=self._work, name="agent-make", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it; data that was made stays."""
        self._is_cancelled = True
        self._thread.join()

    def _work(self) -> None:
        order = self._order
        try:
            users = (order["first"], order["last"])
            done = _engine.prepare(
                order["protocol"], order["target"], *users, self._progress, order["verify"]
            )
            self._post("made", done=done)
        except HeadcountError as error:
            if not self._is_cancelled:
                self._post("failed", error=type(error).__name__, text=str(error))
        except (CancelledError, OSError):
            return

    def _progress(self, far: str) -> None:
        if self._is_cancelled:
            raise CancelledError
        self._post("making", far=far)

    def _post(self, kind: str, **values: Any) -> None:
        self._send(Message(kind, {"generation": self._order["generation"], **values}))
