"""Logins to all machines of a cluster, asked in parallel."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from types import TracebackType
from typing import Self, TypeAlias, TypeVar

from headcount.cluster.hosts import Host
from headcount.cluster.login import Login
from headcount.errors import HeadcountError, TargetError

T = TypeVar("T")
MOST_AT_ONCE = 32
"""Each login is a process of `ssh` and a thread here."""

Outcome: TypeAlias = T | HeadcountError


class Machines:
    """Logins that end together.

    Args:
        hosts: Where to log in; None for this machine.

    """

    def __init__(self, hosts: Sequence[Host | None]) -> None:
        """Log in nowhere yet."""
        self.hosts = hosts
        self._logins: dict[int, Login] = {}
        self._lock = threading.Lock()
        self._is_over = False
        self._pool = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="login")

    def __enter__(self) -> Self:
        """Ready to log in."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all logins; a thread that waits for an answer gets an error."""
        with self._lock:
            self._is_over = True
            for one in self._logins.values():
                one.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for one in self._logins.values():
            one.close()

    def each(
        self, work: Callable[[int, Login], T], numbers: Sequence[int] | None = None
    ) -> dict[int, Outcome[T]]:
        """What `work` returns for each machine, or the error that it raised."""
        wanted = range(len(self.hosts)) if numbers is None else numbers
        futures = {number: self._pool.submit(self._one, number, work) for number in wanted}
        try:
            wait(futures.values())
        except BaseException:
            with self._lock:
                self._is_over = True
                for one in self._logins.values():
                    one.kill()
            raise
        return {number: future.result() for number, future in futures.items()}

    def all(
        self, work: Callable[[int, Login], T], numbers: Sequence[int] | None = None
    ) -> dict[int, T]:
        """The same, if every machine must succeed; raises the first error."""
        found: dict[int, T] = {}
        for number, outcome in self.each(work, numbers).items():
            if isinstance(outcome, HeadcountError):
                raise outcome
            found[number] = outcome
        return found

    def _one(self, number: int, work: Callable[[int, Login], T]) -> Outcome[T]:
        try:
            return work(number, self._login(number))
        except HeadcountError as error:
            return error

    def _login(self, number: int) -> Login:
        with self._lock:
            found = self._logins.get(number)
            if found is not None:
                return found
            if self._is_over:
                raise TargetError("interrupted")
            made = self._logins[number] = Login(self.hosts[number])
        made.begin()
        return made
