"""Reads untrusted files as if they were malicious: bounded, with a sentence for each fault."""
