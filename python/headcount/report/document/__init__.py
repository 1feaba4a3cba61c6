"""The report to hand over, as data: sections of paragraphs, figures and tables.

What is said is decided here, and how it looks by whoever renders it (:mod:`headcount.report.pdf`).
"""
