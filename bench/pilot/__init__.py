"""The proof of `headcount pilot`: a disturbed server, and one that nothing disturbs."""
