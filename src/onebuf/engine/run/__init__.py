"""Running: pending nodes become stored, writes and transfers happen, in the right order."""
