"""Reads lines from a pipe, slowly: a log that somebody forwards to a busy place."""

import argparse
import fcntl
import os
import time

PIPE_BYTES = 4096
F_SETPIPE_SZ = 1031
"""linux/fcntl.h"""

parser = argparse.ArgumentParser()
parser.add_argument("--path")
parser.add_argument("--lines", type=float)
given = parser.parse_args()
file = os.open(given.path, os.O_RDWR)
fcntl.fcntl(file, F_SETPIPE_SZ, PIPE_BYTES)
due = time.monotonic()
with os.fdopen(file, "rb", buffering=0) as pipe:
    rest = b""
    while True:
        rest += pipe.read(256)
        while b"\n" in rest:
            line, _, rest = rest.partition(b"\n")
            due = max(due, time.monotonic() - 0.1) + 1 / given.lines
            time.sleep(max(0.0, due - time.monotonic()))
