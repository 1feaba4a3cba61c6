"""Types of the keys of plans, workloads and protocols: checked values, units, name patterns."""
