"""Checks that `headcount tune` finds what is wrong with a server, and claims nothing else."""
