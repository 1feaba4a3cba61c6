"""Failover: a fault under constant load, again and again, and what users felt of it."""
