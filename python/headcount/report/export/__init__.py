"""A run's figures for other programs: spreadsheets, tables, time series, review comments."""
