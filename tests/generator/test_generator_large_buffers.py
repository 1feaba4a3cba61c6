"""Buffers of HTTP/3 connections are mapped one by one: untouched parts take no memory."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, json, resource, sys
from headcount.generator.large_buffers import map_large_buffers

libc = ctypes.CDLL(None)
libc.calloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
map_large_buffers(sys.argv[1])


class Used(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


libc.mallinfo2.restype = Used
libc.free(libc.calloc(1, 3 << 20))  # moves the bound where nobody has set it
before = libc.mallinfo2().hblks
held = [libc.calloc(1, 3 << 20) for _ in range(10)]
print(json.dumps(libc.mallinfo2().hblks - before))
"""


@pytest.mark.parametrize(
    ("target", "mapped"), [({"http3": True}, 10), ({"http3": False}, 0), ({}, 0)]
)
def test_only_http3_changes_how_buffers_are_made(target: dict[str, bool], mapped: int) -> None:
    command = [sys.executable, "-c", PROGRAM, json.dumps(target)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == mapped
