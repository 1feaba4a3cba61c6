"""A module a protocol: what everything outside the engine asks of it, in one record."""
