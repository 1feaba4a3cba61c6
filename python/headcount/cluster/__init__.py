"""Agents on the machines of a Ray cluster, which places and starts them. Load never crosses it.

Only a run that asks for a cluster imports this: Ray is an optional dependency.
"""
