"""Prepare data, run levels, search, clean up: the only room that drives the engine."""
