"""A server under test, which takes commands on standard input.

Listens on loopback with a backlog of 8 and prints its port first. ``accept N`` accepts N
connections, ``fill N`` writes to the first of them until it would block and for N bytes at least,
``read`` reads what has come on it. Each answers with a number: connections taken up, bytes written,
bytes read. With ``--up`` it brings up the loopback of a network namespace first.
"""

import fcntl
import socket
import struct
import sys

SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def up() -> None:
    with socket.socket() as asking:
        fcntl.ioctl(asking, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def fill(connection: socket.socket) -> int:
    connection.setblocking(False)
    written = 0
    try:
        while True:
            written += connection.send(bytes(65536))
    except BlockingIOError:
        return written


def main() -> None:
    if "--up" in sys.argv:
        up()
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(8)
    print(server.getsockname()[1], flush=True)
    taken: list[socket.socket] = []
    clients: list[socket.socket] = []
    for line in sys.stdin:
        command, *words = line.split()
        if command == "accept":
            taken += [server.accept()[0] for _ in range(int(words[0]))]
            print(len(taken), flush=True)
        elif command == "fill":
            print(fill(taken[0]), flush=True)
        elif command == "read":
            print(len(taken[0].recv(65536)), flush=True)
        elif command == "connect":  # clients of its own, for a namespace that nobody can enter
            clients += [
                socket.create_connection(server.getsockname()) for _ in range(int(words[0]))
            ]
            print(len(clients), flush=True)


main()
