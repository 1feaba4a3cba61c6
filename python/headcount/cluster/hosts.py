"""The file that names the machines of a cluster."""

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from headcount.cluster.ports import range_of
from headcount.counters import address
from headcount.counters.address import Address
from headcount.errors import InputError
from headcount.fields.mistakes import as_mistake
from headcount.fields.model import Name, Strict
from headcount.plan.plan import validate
from headcount.plan.toml_file import toml_values

MOST_HOSTS = 1000
MOST_CPUS = 4096


def _login(text: str) -> str:
    with as_mistake():
        if not text.startswith("ssh://"):
            raise InputError(f'it is "{text}"; write it like ssh://user@host:port')
        try:
            address.parse(text)
        except InputError as error:
            why = str(error).partition("source: ")[2].rpartition("; use ")[0]
            raise InputError(f'it is "{text}": {why or error}') from error
    return text


def _ip(text: str) -> str:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f'it is "{text}"; write an IP address, such as 10.0.0.11') from None
    if found.is_unspecified:
        raise ValueError(f'it is "{text}"; write the address of one interface')
    return text


def _ports(text: str) -> str:
    with as_mistake():
        range_of(text)
    return text


def _folder(text: str) -> str:
    if not re.match(r"(/|~/).", text):
        raise ValueError(f'it is "{text}"; write a whole path, such as ~/.cache/headcount/cluster')
    return text


def _cluster_name(text: str) -> str:
    if text[0] in "-.":
        raise ValueError(f'it is "{text}"; begin with a letter or a digit')
    return text


Ip = Annotated[str, AfterValidator(_ip)]
Ports = Annotated[str, AfterValidator(_ports)]


class ClusterTable(Strict):
    """What all machines share."""

    name: Annotated[Name, AfterValidator(_cluster_name)] | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] = 6379
    ports: Ports = "6380-6579"
    head_ip: Ip | None = None
    folder: Annotated[str, AfterValidator(_folder)] = "~/.cache/headcount/cluster"
    days: Annotated[int, Field(ge=1, le=90)] = 7


class Host(Strict):
    """A machine that is logged in to."""

    address: Annotated[str, AfterValidator(_login)]
    cpus: Annotated[int, Field(ge=0, le=MOST_CPUS)] | None = None
    head: bool = False
    node_ip: Ip | None = None
    ports: Ports | None = None
    python: Annotated[str, Field(pattern=r"^[\w./+-]+$")] | None = None

    @property
    def login(self) -> Address:
        """Whom to log in to."""
        return address.parse(self.address)


class HostsFile(Strict):
    """A whole file."""

    cluster: ClusterTable = ClusterTable()
    host: Annotated[list[Host], Field(min_length=1, max_length=MOST_HOSTS)]

    @model_validator(mode="after")
    def _check(self) -> "HostsFile":
        seen: set[str] = set()
        for one in self.host:
            if one.address in seen:
                raise ValueError(f"{one.address} is listed twice")
            seen.add(one.address)
        if sum(one.head for one in self.host) > 1:
            raise ValueError("two hosts are the head; keep `head = true` for one of them")
        for text in {self.cluster.ports, *(one.ports for one in self.host if one.ports)}:
            if self.cluster.port in range_of(text):
                raise ValueError(f"port {self.cluster.port} of the head is one of ports {text}")
        return self


def load(path: Path) -> HostsFile:
    """Read a file; raises InputError with every mistake in it."""
    values: dict[str, Any] = toml_values(path, f"the hosts file {path}")
    if not values.get("host") and values.keys() <= HostsFile.model_fields.keys():
        raise InputError(
            f'the hosts file {path} names no machine: add [[host]] with address = "ssh://USER@HOST"'
        )
    return validate(HostsFile, values, str(path))


def name_of(path: Path, hosts: HostsFile) -> str:
    """What the cluster is called: as its file says, or as its file is called."""
    from_file = re.sub(r"[^\w.-]", "-", path.stem).lstrip("-.")
    return hosts.cluster.name or from_file or "cluster"
