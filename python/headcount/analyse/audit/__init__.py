"""Whether a run is valid, and whether its bundle is consistent: one check per file.

Each check is a pure function of the `evidence`, read from a bundle's files, and gives a `Result`.
"""
