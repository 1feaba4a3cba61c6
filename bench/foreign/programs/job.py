"""A job that asks Redis for something long now and then, as a report or a clean-up does."""

import argparse
import socket
import time
from pathlib import Path

LONG = "local x = 0 for i = 1, ARGV[1] do x = x + i % 7 end return x"

parser = argparse.ArgumentParser()
parser.add_argument("--redis")
parser.add_argument("--rounds", type=int)
parser.add_argument("--every-ms", type=float)
parser.add_argument("--begun")
given = parser.parse_args()
host, _, port = given.redis.partition(":")
parts = [b"EVAL", LONG.encode(), b"0", b"%d" % given.rounds]
command = b"*4\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
with socket.create_connection((host, int(port))) as connection:
    Path(given.begun).touch()
    while True:
        time.sleep(given.every_ms / 1000)
        connection.sendall(command)
        connection.recv(100)
