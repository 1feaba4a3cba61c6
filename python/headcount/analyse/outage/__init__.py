"""Outages as users felt them: one, and the distribution of many; pure."""
