"""Two targets measured in turn, so that what drifts meets both alike."""
