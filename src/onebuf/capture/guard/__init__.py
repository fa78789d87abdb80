"""Guards: whether everything that a captured function depended on is as it was."""
