"""Counters shown as they arrive: `headcount watch`."""
