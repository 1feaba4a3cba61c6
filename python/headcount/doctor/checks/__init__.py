"""The checks of a machine, a function each."""
