"""The figures of a report: a file a figure, each a pure function of records to a :class:`Figure`.

A figure is drawn once for the page, for the PDF and for whoever wants its numbers: it carries its
drawing, its words for those who do not see it, and the table that it was drawn from.
"""
