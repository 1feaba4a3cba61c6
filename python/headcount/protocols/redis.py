"""Redis and what speaks its protocol, such as Valkey: keys and their values."""

from collections.abc import Mapping

from pydantic import Field

from headcount.errors import InputError
from headcount.fields.mistakes import read_table
from headcount.fields.model import Size, Strict, Switch
from headcount.fields.units import size_bytes
from headcount.protocols.protocol import Protocol, Scheme, Table
from headcount.protocols.target import Place
from headcount.protocols.tls_keys import TLS_KEYS, TlsKeys

EACH = "{n}"
"""The name of users who are rows of a file: not a user of an access list."""
MOST_KEYS = 1_000_000_000
"""Their names have nine digits (`MOST_KEYS` of crates/redis)."""
LEAST_BYTES, MOST_BYTES = 24, 16 << 20
"""A value names its key and its write (`LEAST_BYTES`, `MOST_VALUE_BYTES` there)."""


class Keys(Strict):
    """Keys that all users read and write."""

    count: int = Field(ge=1, le=MOST_KEYS, description="How many keys")
    value_size: Size = Field(description="Size of each value, 24 bytes to 16 MiB")
    seed: int = Field(default=1, ge=0, le=2**63 - 1, description="Seed of the contents")

    def model_post_init(self, _context: object) -> None:
        """Raise ValueError for a size that the engine does not write."""
        if not LEAST_BYTES <= size_bytes(self.value_size) <= MOST_BYTES:
            raise ValueError(f"value_size must be 24 bytes to 16 MiB; it is {self.value_size}")

    def scaled(self, scale: float) -> "Keys":
        """The same values, so many times as many; at least one."""
        return self.model_copy(update={"count": max(1, round(self.count * scale))})

    def engine_form(self) -> dict[str, int]:
        """As the engine reads it."""
        bytes_each = size_bytes(self.value_size)
        return {"keys": self.count, "value_bytes": bytes_each, "seed": self.seed}


class RedisClient(TlsKeys):
    """How users log on to a Redis server and speak to it. Each has a connection."""

    user: str = Field(
        default="", description="User of the server's access list, if not the default one"
    )
    tls: Switch = Field(default=False, description="Whether redis:// is encrypted; rediss:// is")
    clear_password: Switch = Field(
        default=False, description="Whether the password may go to other machines without TLS"
    )
    verify: Switch = Field(default=True, description="Whether to check the values read")

    def engine_form(self) -> dict[str, object]:
        """The options as the engine reads them, without the server."""
        return self.model_dump(exclude={"clear_password", *TLS_KEYS}) | self.tls_form()


def redis_client(given: Mapping[str, str]) -> RedisClient:
    """The `[client]` table of a plan for Redis; raises InputError with every mistake in it."""
    return read_table(RedisClient, given, "[client]")


def _place(text: str, path: str, _form: str) -> Place:
    if path and not (path.isdecimal() and len(path) < 6):
        raise InputError(
            f'the target "{text}": after the host comes the number of a database, as in '
            "redis://host/1"
        )
    return Place(database=path or "0")


PROTOCOL = Protocol(
    name="redis",
    form="redis://host/0",
    schemes={"redis": Scheme(6379), "rediss": Scheme(6379, is_tls=True)},
    labs={"redis": "headcount.lab.redis:RedisServer"},
    access="headcount.controller.access.redis",
    ledger="headcount.failover.ledger.redis:RedisStore",
    usual_workload="ycsb-a",
    place=_place,
    client=redis_client,
    tables={"keys": Table(Keys, "Keys that all users read and write")},
    needed=(frozenset({"keys"}),),
    log_on="named",
    has_logins=True,
    is_clean=True,
)
