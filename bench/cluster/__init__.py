"""What a fleet of agents costs its controller, and how closely the agents keep together."""
