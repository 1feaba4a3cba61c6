"""A program in a node: sends how many datagrams it got so far to a host, every 20 ms.

`python segment_beats.py OWN_ADDRESS OWN_PORT HOST PORT`
"""

import socket
import sys
import time

_, own, own_port, host, port = sys.argv
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as beats:
    beats.bind((own, int(own_port)))
    beats.setblocking(False)
    got = 0
    while True:
        try:
            while beats.recv(64):
                got += 1
        except BlockingIOError:
            pass
        beats.sendto(f"{got}".encode(), (host, int(port)))
        time.sleep(0.02)
