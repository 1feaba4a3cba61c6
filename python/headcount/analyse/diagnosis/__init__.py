"""What limited the capacity: pure functions of a run's levels, seconds and events."""
