"""What one operation costs as shipped, beside peers, and whether that changed since a release.

`python -m bench gate [NAME ...]`. Each item of work is measured in rounds, in each of which
Headcount and its peers take turns. Compared are ratios: to a peer of the same round, or to a bar.
"""
