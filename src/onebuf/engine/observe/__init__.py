"""Looking at the engine: counters, explanations, profiles."""
