"""The pilot: a running server's processes treated better, as long as that helps its work."""
