"""The results of a run on disk: written while it runs, read back, queried across runs."""
