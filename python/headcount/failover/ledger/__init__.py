"""Whether a server keeps what it acknowledged: numbered rows, written and read back."""
