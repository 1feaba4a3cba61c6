"""The command line with all its verbs, for tests that call it in their own process."""

from headcount.cli.line import app_of

app = app_of()
