"""A process with memory of known sizes, and a child that shares it. Ends when its input ends.

argv: MiB of its own, MiB of a file that is mapped to write to, the file.
"""

import mmap
import os
import sys

own_mib, file_mib = int(sys.argv[1]), int(sys.argv[2])
own = mmap.mmap(-1, (own_mib or 1) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
own[: own_mib << 20] = b"x" * (own_mib << 20)
with open(sys.argv[3], "w+b") as file:  # noqa: PTH123
    file.truncate((file_mib or 1) << 20)
    shared = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED)
shared[: file_mib << 20] = b"y" * (file_mib << 20)
read, write = os.pipe()
child = os.fork()
if child == 0:
    os.close(write)
    sum(own[: own_mib << 20 : mmap.PAGESIZE]) + sum(shared[: file_mib << 20 : mmap.PAGESIZE])
    print("ready", flush=True)
    os.read(read, 1)
    os._exit(0)
sys.stdin.read()
os.close(write)
os.waitpid(child, 0)
