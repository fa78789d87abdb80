"""Tile by tile: computing from what is made or read on demand, in little memory."""
