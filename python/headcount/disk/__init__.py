"""Disk benchmarks: which cells are measured, how they are measured, and what they come to.

Re-creates what Adaptec's ThreadMark 2.0 was for: throughput and CPU use of a disk. How ThreadMark
measured was not published, so the grid of cells and the score are ours, and say so.
"""
