"""`headcount` without arguments at a terminal: the three things people come for."""

GUIDE = """\
Headcount finds how many users a server holds, and what stops it there.

Measure a server that Headcount starts here and removes afterwards:

  headcount run app-server --target lab:app --quick

Measure your own server (another machine needs its owner's consent):

  headcount workloads
  headcount run home-folders --target smb://SERVER/SHARE --user "u{n:04}" \\
    --authorised-by OWNER

Diagnose a counter log (Perfmon, sar, PCP, Prometheus):

  headcount diagnose LOG

Something does not work? See what this machine lacks:

  headcount doctor

Every verb explains itself: headcount --help, headcount run --help.
Read on: docs/first-capacity.md, docs/README.md.
"""
"""It fits a terminal of 24 lines of 80 characters."""
