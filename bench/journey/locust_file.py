"""One step with a captured value and a checked one, as users of Locust write it."""

from locust import FastHttpUser, task  # type: ignore[import-not-found,unused-ignore]


class Customer(FastHttpUser):  # type: ignore[misc]
    """Somebody who looks at an order."""

    @task  # type: ignore[untyped-decorator]
    def order(self) -> None:
        """Look at it, and keep its number."""
        with self.client.get("/order.json", catch_response=True) as reply:
            document = reply.json()
            if document["status"] != "open":
                reply.failure("the order is not open")
            self.number = document["id"]
