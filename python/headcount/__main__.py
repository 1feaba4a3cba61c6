"""`python -m headcount`: the command line."""

from headcount.cli import main

main()
