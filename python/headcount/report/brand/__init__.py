"""The look of a company's own reports: its name, logo, colours and words."""
