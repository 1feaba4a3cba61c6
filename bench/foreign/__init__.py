"""Headcount's diagnosis of servers written by others, each with a known cause."""
