"""The watching of counters while they come: what `headcount watch` shows."""
