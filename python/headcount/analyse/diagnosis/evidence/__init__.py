"""Signs of each limit at a level: one file a limit, all of them pure functions of an observation.

A function returns None where no counter tells anything of its limit: it is blind, which is not the
same as a score of zero.
"""
