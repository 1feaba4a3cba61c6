"""Messages that only a controller and its agent can read.

The arguments of a Ray actor's calls pass through processes of the cluster, and may stay in its
object store or its logs. Orders hold the users' passwords, so both ends first agree on keys
(X25519, HKDF-SHA256). Messages are sealed with ChaCha20-Poly1305 and a counter as the nonce: a
receiver refuses altered, repeated and missing ones.
"""

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from headcount.errors import EngineError

_NONCE_BYTES, _KEY_BYTES = 12, 32


class KeyPair:
    """One end's part of the agreement. `public` may be seen by anybody."""

    def __init__(self) -> None:
        """Generate a key."""
        self._private = X25519PrivateKey.generate()
        self.public = self._private.public_key().public_bytes_raw()

    def channel(self, theirs: bytes, way: str) -> "SealedWay":
        """One direction of messages; both ends name it alike, such as `orders`."""
        shared = self._private.exchange(X25519PublicKey.from_public_bytes(theirs))
        both = b"".join(sorted((self.public, theirs)))
        derive = HKDF(SHA256(), _KEY_BYTES, salt=both, info=f"headcount {way}".encode())
        return SealedWay(derive.derive(shared))


class SealedWay:
    """Seals messages at one end and opens them, in the same order, at the other."""

    def __init__(self, key: bytes) -> None:
        """Begin with the first message."""
        self._cipher = ChaCha20Poly1305(key)
        self._number = 0

    def seal(self, data: bytes) -> bytes:
        """The next message, sealed."""
        return self._cipher.encrypt(self._nonce(), data, None)

    def open(self, data: bytes) -> bytes:
        """The next message; raises EngineError if it is not that."""
        try:
            return self._cipher.decrypt(self._nonce(), data, None)
        except InvalidTag as error:
            raise EngineError("a message between controller and agent was altered") from error

    def _nonce(self) -> bytes:
        nonce = self._number.to_bytes(_NONCE_BYTES, "big")
        self._number += 1
        return nonce
