"""What runs on the machines of a cluster before Headcount is there.

Any Python 3.7 and its standard library must do: these modules are sent as text over the login that
they serve, and nothing of them stays.
"""
