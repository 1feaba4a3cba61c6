"""A web server with a thread for each connection, all of which take one lock for 50 ms a request:
in a sleep, or with the argument `busy` on the CPU.

Prints its port, and ends with its standard input.
"""

import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ONE = threading.Lock()
BUSY = "busy" in sys.argv
HOLD_S = 0.05
"""Long beside the time in which a thread waits for a CPU of a busy machine."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        with ONE:
            if BUSY:
                until = time.thread_time() + HOLD_S
                while time.thread_time() < until:
                    sum(range(1000))
            else:
                time.sleep(HOLD_S)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Not to standard error."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
