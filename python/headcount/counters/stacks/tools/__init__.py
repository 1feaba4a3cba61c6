"""Tools that know the functions of a program: each is a registration in ``TOOLS``."""

from headcount.counters.stacks.tools.go_pprof import GO
from headcount.counters.stacks.tools.jvm import JSTACK
from headcount.counters.stacks.tools.linux_perf import PERF
from headcount.counters.stacks.tools.python_spy import PY_SPY
from headcount.counters.stacks.tools.tool import Tool

TOOLS: tuple[Tool, ...] = (PERF, JSTACK, PY_SPY, GO)
"""All tools."""
