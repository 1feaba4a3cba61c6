"""The checks of a machine, one function per check."""
