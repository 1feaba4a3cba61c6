"""Two targets measured in turn, so that drift affects both alike."""
