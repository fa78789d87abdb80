"""Other devices than the host: plans, writes and transfers through a driver."""
