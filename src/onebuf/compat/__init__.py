"""Other libraries' spellings of a buffer, one subpackage each."""
