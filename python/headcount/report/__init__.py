"""Reports: the results of a run, for people.

:mod:`~headcount.report.html` makes one self-contained page, :mod:`~headcount.report.terminal` a
summary for the terminal. Both are pure functions of the records in :mod:`headcount.bundle`.
"""
