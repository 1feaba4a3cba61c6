"""A chat with rooms, over WebSockets of the library `websockets`."""

import json
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

Guard = Callable[[ServerConnection, Request], Response | None]


class Chat:
    """The chat with what it remembers.

    Attributes:
        messages: Every message: who, in which room, what.
        headers: Those of each client that connected.
        is_full: Whether it lets nobody in.
        is_rude: Whether it ends a connection instead of answering what is said.
        guard: Its answer to a client that connects; None admits the client.

    """

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, str]] = []
        self.headers: list[Headers] = []
        self.is_full = False
        self.is_rude = False
        self.guard: Guard = lambda _connection, _request: None
        self._rooms: defaultdict[str, set[ServerConnection]] = defaultdict(set)
        self._lock = threading.Lock()

    def admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Refuse clients while it is full."""
        self.headers.append(request.headers)
        refusal = self.guard(connection, request)
        return connection.respond(503, "full\n") if self.is_full else refusal

    def talk(self, connection: ServerConnection) -> None:
        """Serve one user until it leaves."""
        assert connection.request is not None
        user = parse_qs(urlsplit(connection.request.path).query)["user"][0]
        room = ""
        try:
            for text in connection:
                message = json.loads(text)
                if message["type"] == "join":
                    room = message["room"]
                    with self._lock:
                        self._rooms[room].add(connection)
                        members = len(self._rooms[room])
                    connection.send(json.dumps({"type": "joined", "members": members}))
                elif self.is_rude:
                    connection.close(1013, "come back later")
                else:
                    self._say(user, room, message)
        finally:
            with self._lock:
                self._rooms[room].discard(connection)

    def _say(self, user: str, room: str, message: dict[str, str]) -> None:
        with self._lock:
            self.messages.append((user, room, message["text"]))
            members = list(self._rooms[room])
        answer = {"type": "said", "from": user, "text": message["text"], "id": message["id"]}
        for member in members:
            member.send(json.dumps(answer))


@contextmanager
def served(chat: Chat, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve the chat on a free port, in clear or with TLS; gives its address."""
    server: Server = serve(chat.talk, "127.0.0.1", 0, process_request=chat.admit, ssl=tls)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.socket.getsockname()[1]}/"
    finally:
        server.shutdown()
        thread.join()
