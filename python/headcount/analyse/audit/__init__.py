"""Whether a run is valid, and whether its bundle is consistent: a check a file.

Each check is a pure function of the `evidence`, what a bundle's files say, and gives a `Result`.
"""
