"""How each kind of server is configured: where its settings are, and what puts them in force."""
