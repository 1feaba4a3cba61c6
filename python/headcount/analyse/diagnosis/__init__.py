"""What limited the capacity: pure functions of a run's levels, seconds and events.

``diagnose`` reads in its order: levels as observations, whether they are saturated, signs of each
limit at each level (``evidence``), which of them is believed (``decide``), how surely
(``confidence``), and what would be next (``projection``). All thresholds are data, in
``thresholds.toml``.
"""
