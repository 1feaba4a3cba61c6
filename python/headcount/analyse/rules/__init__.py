"""Rules of diagnosis as data, and their findings in a log of counters. Pure functions.

`data/*.toml` hold the rules, the advice and the sources; :mod:`model` defines their content,
:mod:`condition` evaluates a condition, :mod:`examine` looks for findings, :mod:`decide` draws the
conclusion.
"""
