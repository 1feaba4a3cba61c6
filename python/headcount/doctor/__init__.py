"""What this machine can and cannot do as a load generator and as host of lab servers."""
