"""What keys of plans, workloads and protocols hold: checked types, units, patterns of names."""
