"""How a company's own reports look: its name, logo, colours and words."""
