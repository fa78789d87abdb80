"""Clients: libraries that know new array types from a registry of their own.

Each module here enters buffers in the registry of one library, which it imports; nothing imports
the module before the user has imported that library (`onebuf.clients.import_hook`).
"""
