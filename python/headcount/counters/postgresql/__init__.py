"""Figures from PostgreSQL's own views, over a session of Headcount's own."""

from headcount.counters.postgresql.source import PostgresqlSource

__all__ = ["PostgresqlSource"]
