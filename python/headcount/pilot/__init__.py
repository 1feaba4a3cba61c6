"""The pilot: adjusts how Linux schedules a running server, and keeps what helps its work."""
