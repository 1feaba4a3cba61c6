"""The NT hash of a password, which Samba's smbpasswd file holds.

It is the MD4 of the password in UTF-16 (MS-NLMP 3.3.1). OpenSSL 3 no longer gives MD4 to `hashlib`,
so it is written out here. It protects nothing: whoever has the hash can log on.
"""

import struct
from collections.abc import Callable

BLOCK_BYTES = 64
START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
WORDS = 0xFFFFFFFF

Mix = Callable[[int, int, int], int]
ROUNDS: tuple[tuple[Mix, int, tuple[int, ...], tuple[int, ...]], ...] = (
    (lambda x, y, z: (x & y) | (~x & z), 0, tuple(range(16)), (3, 7, 11, 19)),
    (
        lambda x, y, z: (x & y) | (x & z) | (y & z),
        0x5A827999,
        tuple(4 * (i % 4) + i // 4 for i in range(16)),
        (3, 5, 9, 13),
    ),
    (
        lambda x, y, z: x ^ y ^ z,
        0x6ED9EBA1,
        (0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15),
        (3, 9, 11, 15),
    ),
)
"""RFC 1320, 3.4: for each round its function, constant, order of words, and rotations."""


def md4(message: bytes) -> bytes:
    """The 16 bytes of MD4 (RFC 1320)."""
    padding = b"\x80" + bytes((55 - len(message)) % BLOCK_BYTES)
    padded = message + padding + struct.pack("<Q", 8 * len(message))
    state: tuple[int, ...] = START
    for begin in range(0, len(padded), BLOCK_BYTES):
        words = struct.unpack_from("<16I", padded, begin)
        a, b, c, d = state
        for mix, constant, order, rotations in ROUNDS:
            for step, word in enumerate(order):
                total = (a + mix(b, c, d) + words[word] + constant) & WORDS
                bits = rotations[step % 4]
                a, b, c, d = d, (total << bits | total >> (32 - bits)) & WORDS, b, c
        state = tuple((was + now) & WORDS for was, now in zip(state, (a, b, c, d), strict=True))
    return struct.pack("<4I", *state)


def nt_hash(password: str) -> str:
    """The hash as Samba writes it: 32 capital hexadecimal digits."""
    return md4(password.encode("utf-16-le")).hex().upper()
