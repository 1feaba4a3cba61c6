"""Results that others have published, as data, and their derived figures recomputed.

`series.series` gives them as lines for charts and comparisons, always labelled as published.
"""
