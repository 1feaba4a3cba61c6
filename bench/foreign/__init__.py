"""Headcount's diagnosis on servers that its makers did not write, each with a known cause."""
