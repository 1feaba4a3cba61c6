"""Reports: what a run came to, for people.

:mod:`~headcount.report.html` makes one self-contained page, :mod:`~headcount.report.terminal` a
summary for the terminal. Both are pure functions of the records in :mod:`headcount.bundle`.
"""
