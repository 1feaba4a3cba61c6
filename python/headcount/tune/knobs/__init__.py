"""What can be changed on servers: data, and how it is read."""
