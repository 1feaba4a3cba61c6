"""SCRAM-SHA-256, the client's side (RFC 5802 and RFC 7677), without channel binding."""

import base64
import binascii
import hashlib
import hmac
import secrets

MECHANISM = "SCRAM-SHA-256"
_NONCE_BYTES = 18
_NO_BINDING = "n,,"
_MOST_ROUNDS = 1_000_000
"""More would be a server that wants to keep us busy; PostgreSQL's default is 4,096."""


class Scram:
    """One proof of a password. Raises OSError where the server's part is not what it should be."""

    def __init__(self, password: str, nonce: str | None = None, user: str = "") -> None:
        """Begin; PostgreSQL takes the user from elsewhere and wants none here."""
        self._password = password.encode()
        self._nonce = nonce or base64.b64encode(secrets.token_bytes(_NONCE_BYTES)).decode()
        self._bare = f"n={user},r={self._nonce}"
        self._expected = b""

    def first(self) -> bytes:
        """What the client says first."""
        return (_NO_BINDING + self._bare).encode()

    def proof(self, challenge: bytes) -> bytes:
        """The answer to the server's challenge."""
        fields = _fields(challenge)
        try:
            nonce, rounds = fields["r"], int(fields["i"])
            salt = base64.b64decode(fields["s"], validate=True)
        except (KeyError, ValueError, binascii.Error):
            raise OSError("the server's challenge is not a SCRAM challenge") from None
        if not nonce.startswith(self._nonce) or not 0 < rounds <= _MOST_ROUNDS:
            raise OSError("the server's challenge does not answer ours")
        salted = hashlib.pbkdf2_hmac("sha256", self._password, salt, rounds)
        key = _hmac(salted, b"Client Key")
        binding = base64.b64encode(_NO_BINDING.encode()).decode()
        final = f"c={binding},r={nonce}"
        message = f"{self._bare},{challenge.decode()},{final}".encode()
        signature = _hmac(hashlib.sha256(key).digest(), message)
        self._expected = _hmac(_hmac(salted, b"Server Key"), message)
        proof = bytes(ours ^ theirs for ours, theirs in zip(key, signature, strict=True))
        return f"{final},p={base64.b64encode(proof).decode()}".encode()

    def check(self, last: bytes) -> None:
        """Make sure that the server knows the password too."""
        proof = _fields(last).get("v", "")
        if not hmac.compare_digest(base64.b64encode(self._expected).decode(), proof):
            raise OSError("the server did not prove that it knows the password")


def _fields(message: bytes) -> dict[str, str]:
    pairs = (part.partition("=") for part in message.decode("ascii", "replace").split(","))
    return {key: value for key, _, value in pairs}


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()
