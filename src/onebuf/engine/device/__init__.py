"""Other devices than the host: transfers through their drivers, and queues of the CPU."""
