"""Tuning a server under load: knobs, changes that can always be undone, and trials with proof."""
