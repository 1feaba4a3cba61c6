"""The figures of a report: a file per figure, each a pure function of records to a :class:`Figure`.

A figure serves the page, the PDF and readers of its numbers: it has its drawing, a text for readers
who cannot see it, and the table that it was drawn from.
"""
