"""Steps: what a plan consists of, each a kernel or an operation that is ready to run."""
