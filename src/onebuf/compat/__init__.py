"""Other libraries' spellings of a buffer, each under its library's name."""
