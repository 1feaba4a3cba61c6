"""Breaks servers and applications, and checks whether Headcount explains what is wrong."""
