"""Files of strangers, read as if they were meant to harm: bounded, each fault one sentence."""
