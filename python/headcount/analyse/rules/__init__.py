"""Rules of diagnosis as data, and what they find in a log of counters. Pure functions.

`data/*.toml` hold the rules, the advice and the sources; :mod:`model` says what is in them,
:mod:`condition` how a condition is read, :mod:`examine` looks for findings, :mod:`decide` draws the
conclusion.
"""
