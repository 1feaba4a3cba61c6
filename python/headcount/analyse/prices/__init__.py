"""Prices: totals, unit prices, break-even, consolidation, and whether printed prices agree."""
