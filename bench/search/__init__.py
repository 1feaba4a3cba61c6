"""The search judged on simulated servers whose capacity is known, beside what others do."""
