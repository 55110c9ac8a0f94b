"""Background work: leases, heartbeats, retries, and messages to the workers."""
