"""The report to hand over, as data: sections of paragraphs, figures and tables.

The content is decided here, and its looks by whoever renders it (:mod:`headcount.report.pdf`).
"""
