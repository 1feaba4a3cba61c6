"""The protocol of Headcount's own application server, after ServerBench's."""

from headcount.protocols.protocol import Protocol, Scheme, Table, no_keys
from headcount.protocols.tree import Data

PROTOCOL = Protocol(
    name="app",
    form="app://host:port",
    schemes={"app": Scheme()},
    labs={"app": "headcount.lab.app:AppServer"},
    access="headcount.controller.access.app",
    usual_workload="app-server",
    client=no_keys("app"),
    tables={"data": Table(Data, "A file for each user")},
    is_clean=True,
)
