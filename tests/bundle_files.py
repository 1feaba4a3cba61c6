"""The files that a bundle of a finished run holds."""

FILES = (
    "plan.toml",
    "environment.json",
    "events.ndjson",
    "series.ndjson",
    "series.parquet",
    "histograms.hlog",
    "levels.json",
    "verdict.json",
    "report.html",
    "manifest.json",
)
