"""Prices: totals, prices for each, break-even, consolidation, and whether printed prices agree."""
