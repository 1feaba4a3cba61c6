"""Journeys from what people have already: recordings, commands, descriptions and scripts."""
