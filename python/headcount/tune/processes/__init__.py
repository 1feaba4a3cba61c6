"""How Linux treats the processes of a server: read, changed on any machine, and put back."""
