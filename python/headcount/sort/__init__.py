"""The sort experiments of a paper of 1998: time against memory, and where the work folder lies."""
