"""Tasks: functions that run in other threads, what they give, and what they wait for.

Nothing here knows of buffers. A task is done once: with a value, with an error, or cancelled. There
are no locks that code could be interrupted in: every step is one operation on a deque or a list.
"""
