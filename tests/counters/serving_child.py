"""A server of several processes; prints its port once all of them run.

``shared N``: the master listens, and N workers inherit its socket. ``own N``: each of N workers has
a socket of its own on the same port (SO_REUSEPORT), the master none. A line of standard input
starts one more worker.
"""

import os
import signal
import socket
import sys
import time


def listening(port: int) -> socket.socket:
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    one.bind(("127.0.0.1", port))
    one.listen(8)
    return one


def main() -> None:
    kind, many = sys.argv[1], int(sys.argv[2])
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        held = [listening(port)] if kind == "shared" else []
        reading, writing = os.pipe()
        for _ in range(many):
            if os.fork() == 0:
                held += [listening(port)] if kind == "own" else []
                taken.close()
                os.write(writing, b".")
                time.sleep(60)
                os._exit(0)
        for _ in range(many):
            os.read(reading, 1)
    print(port, flush=True)
    for _ in sys.stdin:  # one more worker for each line
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        print("more", flush=True)
    signal.pause()


main()
