"""The report for customers, as data: sections of paragraphs, figures and tables.

This package decides the content, the renderer (:mod:`headcount.report.pdf`) its looks.
"""
