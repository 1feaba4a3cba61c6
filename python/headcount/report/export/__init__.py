"""A run's figures for other programs: spreadsheets, tables, time series, text for a review."""
