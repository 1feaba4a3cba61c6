"""Stacks of a server's threads: what they wait for, and where its CPU goes."""
