"""An application of Django for its admin: books."""
