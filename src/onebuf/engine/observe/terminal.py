"""Progress on terminals: a bar appears by itself, once a computation has taken a second.

It hears `onebuf.events.Progress` and nothing else, so it costs nothing where there is no progress
to tell; and nothing is imported for it unless the program's messages go to a terminal.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onebuf.events import Event, usual_watchers
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.engine.observe import progress
else:
    progress = Late("onebuf.engine.observe.progress")


def show_on_terminal(event: Event) -> None:
    """Show progress if the program's messages go to a terminal."""
    stream = sys.stderr
    if stream is not None and stream.isatty():
        progress.show(event)


usual_watchers.append(show_on_terminal)
