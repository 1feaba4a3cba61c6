"""Disk benchmarks: which cells are measured, how, and with which results.

Re-creates the purpose of Adaptec's ThreadMark 2.0: throughput and CPU use of a disk. How ThreadMark
measured was not published, so the grid of cells and the score are ours, which results say.
"""
