"""Running plans: pending nodes become stored, step by step."""
