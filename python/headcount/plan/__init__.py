"""What to run: target, workload, levels, criteria. Typed, validated, repeatable."""
