"""Op graphs drawn for people: as a list of lines, and as a picture in layers."""
