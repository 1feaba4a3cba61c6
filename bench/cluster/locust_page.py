"""One page again and again, as Locust plays it; runs in an environment of its own."""

import random

from locust import FastHttpUser, task  # type: ignore[import-not-found,unused-ignore]

THINK_S = 0.5


class Guest(FastHttpUser):  # type: ignore[misc,unused-ignore]
    """Gets a page, and waits an exponential time, as Headcount's users do."""

    def wait_time(self) -> float:
        """Seconds until the next."""
        return random.expovariate(1 / THINK_S)

    @task  # type: ignore[untyped-decorator,unused-ignore]
    def page(self) -> None:
        """Get it."""
        self.client.get("/page")
