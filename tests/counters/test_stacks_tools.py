"""Stacks from tools: parsers on what the tools really printed, of programs whose threads are known.

Each program has three workers that take one lock and sleep, and one thread that computes.
"""

import os
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from headcount.counters.proc import process
from headcount.counters.stacks.toolbox import Toolbox
from headcount.counters.stacks.tools import TOOLS
from headcount.counters.stacks.tools.go_pprof import parse_goroutines
from headcount.counters.stacks.tools.jvm import parse_jstack
from headcount.counters.stacks.tools.linux_perf import parse_perf
from headcount.counters.stacks.tools.python_spy import parse_py_spy
from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool, programs

REAL = Path(__file__).with_name("stacks")


def real(name: str) -> str:
    return (REAL / name).read_text("utf-8")


def test_jstack_of_java() -> None:
    parsed = parse_jstack(real("jstack.txt"), "java")
    (busy,) = parsed.on
    assert busy == (
        "java",
        "busy-N",
        "runnable",
        *("java.lang.Thread.run", "Locks$$Lambda.run"),
        "Locks.busy",
    )
    ends = {(stack[1], stack[2], stack[-1]): number for stack, number in parsed.off.items()}
    assert ends["worker-N", "blocked", "monitor(java.lang.Object)"] == 1
    assert ends["worker-N", "timed_waiting", "java.lang.Thread.sleep"] == 1
    # It waits in a native method, although the machine calls it RUNNABLE.
    assert ends["main", "runnable", "sun.nio.ch.Net.accept"] == 1
    parked = [end for thread, _, end in ends if thread == "pool-N-thread-N"]
    assert parked == ["park(java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)"]
    # "Signal Dispatcher" has no stack.
    assert all(stack[1] != "Signal Dispatcher" for stack in (*parsed.on, *parsed.off))


def test_py_spy_of_python() -> None:
    parsed = parse_py_spy(real("py_spy.json"), "python3")
    assert parsed is not None
    (busy,) = parsed.on
    assert busy[:3] == ("python3", "busy-N", "active")
    assert busy[-1] == "busy (pt.py)"
    held = {stack[-1]: number for stack, number in parsed.off.items() if stack[1] == "worker-N"}
    assert held == {"held (pt.py)": 3}


@pytest.mark.parametrize("torn", ["", "[", "{}", "Error: failed"])
def test_a_torn_dump_of_py_spy_is_none(torn: str) -> None:
    assert parse_py_spy(torn, "python3") is None


def test_goroutines_of_go() -> None:
    parsed = parse_goroutines(real("goroutines.txt"), "pp")
    assert not parsed.on  # the one that runs is the one that answers
    by_state = Counter(
        {stack[2]: number for stack, number in parsed.off.items() if "main.held" in stack}
    )
    assert by_state == {"sync.Mutex.Lock": 2, "sleep": 1}
    (locked,) = [stack for stack in parsed.off if stack[2] == "sync.Mutex.Lock"]
    assert locked[:5] == ("pp", "goroutine", "sync.Mutex.Lock", "main.held", "sync.(*Mutex).Lock")


def test_perf_of_python() -> None:
    text = real("perf.txt")
    parsed = parse_perf(text, {24064: "web"})
    assert parsed.on == {
        ("web", "python3", "_PyEval_EvalFrameDefault"): text.count("python3 24064/")
    }
    assert not parsed.off


def test_perf_marks_the_kernel_and_what_has_no_symbol() -> None:
    text = (
        "nginx: worker 7/9 \n"
        "\tffffffff81 tcp_sendmsg+0x1f ([kernel.kallsyms])\n"
        "\t    7f12 [unknown] (/usr/lib/libz.so.1)\n"
        "\t    55aa ngx_write (/usr/sbin/nginx)\n"
        "\n"
    )
    stack = ("nginx", "nginx: worker", "ngx_write", "[libz.so.1]", "tcp_sendmsg_[k]")
    assert parse_perf(text, {7: "nginx"}).on == {stack: 1}


def test_no_text_makes_a_parser_fail() -> None:
    for text in ("", "\n\n\n", "goroutine", '"x', "a b/c\n\td\n", real("perf.txt")[:100]):
        for parsed in (parse_jstack(text, "x"), parse_goroutines(text, "x")):
            assert not parsed.on + parsed.off
        parse_perf(text, {})


def test_tools_have_names_that_files_can_have() -> None:
    assert [tool.name for tool in TOOLS] == ["perf", "jstack", "py-spy", "go"]


def test_no_tool_recognises_a_program_it_knows_nothing_of() -> None:
    other = Program(1, "sleep", "/usr/bin/sleep")
    assert [tool.name for tool in TOOLS if tool.recognises(other) and tool.name != "perf"] == []


def test_a_program_that_prints_takes_too_long_or_is_stopped() -> None:
    runner = Runner()
    long = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"]
    assert runner.output([sys.executable, "-c", "print(6 * 7)"], 60) == "42\n"
    assert runner.output([sys.executable, "-c", "raise SystemExit(3)"], 60) is None
    assert runner.output(["/no/such/program"], 60) is None
    began_s = time.monotonic()
    assert runner.output(long, 0.2) is None
    runner.stopped.set()
    assert runner.output(long, 60) is None
    assert time.monotonic() - began_s < 40


def test_the_toolbox_adds_up_what_tools_see_and_gives_up_on_those_that_fail() -> None:
    own = process.read("/proc", os.getpid())
    assert own is not None
    calls: Counter[str] = Counter()

    def works(*_: object) -> Parsed:
        calls["works"] += 1
        return Parsed(on=Counter({("a", "b"): 2}))

    def fails(*_: object) -> None:
        calls["fails"] += 1

    tools = [
        Tool("works", lambda one: one.pid == own.pid, works),
        Tool("fails", lambda _: True, fails),
        Tool("other", lambda _: False, fails),
    ]
    toolbox = Toolbox(lambda: [own], tools)
    toolbox.begin(60.0)
    until = time.monotonic() + 60
    while calls["works"] < 5 and time.monotonic() < until:
        time.sleep(0.05)
    seen = toolbox.end()
    assert list(seen) == ["works"]
    assert seen["works"].times == calls["works"] >= 5
    assert seen["works"].stacks.on == {("a", "b"): 2 * calls["works"]}
    assert calls["fails"] == 3


def test_programs_are_known_by_name_and_file() -> None:
    (own,) = programs("/proc", [os.getpid(), 2**22 + 1])
    assert Path(own.path).samefile(sys.executable)
