"""What runs on the machines of a cluster before Headcount is there.

They need only Python 3.7 and its standard library: they are sent as text over the login that they
serve, and leave nothing behind.
"""
