"""Predictions of real servers, and what came of them.

Each trial gives a real lab server little CPU, disk or network, measures a short ladder, and
has `headcount.analyse.prediction` say from that bundle alone what it would hold with more (or
less). Then the limit is changed, and the same criterion is measured. Prints the prediction, its
interval, the measured capacity, and the error; at the end the median error, and how many intervals
held the truth.

Limits and the step between them are drawn from a seed. In `pair` two resources are limited, and
what is changed hands the bottleneck to the other. A ladder that does not bracket the capacity after
the change is continued once; where it still does not, the trial is void.
"""
