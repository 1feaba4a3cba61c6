"""Broken servers and applications, and whether Headcount explains what is wrong with them."""
