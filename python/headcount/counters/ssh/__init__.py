"""Counters of any Linux over SSH; only a reader of /proc runs there.

:mod:`~headcount.counters.ssh.script` is that reader, :mod:`~headcount.counters.ssh.child` is the
system's own `ssh` as a child process, :mod:`~headcount.counters.ssh.complaint` says what its
errors mean, and :mod:`~headcount.counters.ssh.source` makes counters of what comes back, with the
code that reads this machine's /proc.
"""
