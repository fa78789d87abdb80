"""What code reads: the names in its bytecode, the values there, and which code is followed."""
