"""The child process of runs with a time limit: it does one run after the other, as its parent asks for them."""

from __future__ import annotations

import os
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from contactlib.campaign.definition import read_campaign
from contactlib.campaign.runner import Runner


def serve(handle: int) -> None:
    """What a child process does: the campaign first, then runs, as they come through the connection."""
    connection = Connection(handle)
    asked: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, asked), daemon=True).start()
    try:
        runner = Runner(read_campaign(asked.get()))
    except Exception as error:
        connection.send(" ".join(str(error).split()))
        return
    connection.send(None)
    while True:
        connection.send(runner.run(asked.get()))


def _listen(connection: Connection, asked: SimpleQueue[Any]) -> None:
    """Take what the parent sends; without a parent end the process, whatever it is doing."""
    try:
        while True:
            asked.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)
