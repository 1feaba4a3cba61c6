"""Control groups and a network of a run's own, to give a lab server less of the machine."""

from headcount.lab.squeeze.delay_line import Line
from headcount.lab.squeeze.limits import Limits
from headcount.lab.squeeze.link import UsersLine
from headcount.lab.squeeze.squeeze import Squeeze, Wanted

__all__ = ["Limits", "Line", "Squeeze", "UsersLine", "Wanted"]
