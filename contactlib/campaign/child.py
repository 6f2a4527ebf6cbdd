"""The child process for runs with a time limit: its parent sends drawn values, the child sends back outcomes."""

from __future__ import annotations

import os
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from contactlib.campaign.definition import read_campaign
from contactlib.campaign.runner import Runner


def serve(handle: int) -> None:
    """Serve the parent process: receive the campaign, then do one run for each set of drawn values that arrives."""
    connection = Connection(handle)
    requests: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, requests), daemon=True).start()
    try:
        runner = Runner(read_campaign(requests.get()))
    except Exception as error:
        connection.send(" ".join(str(error).split()))
        return
    connection.send(None)
    while True:
        connection.send(runner.run(requests.get()))


def _listen(connection: Connection, requests: SimpleQueue[Any]) -> None:
    """Queue what the parent sends. When the parent is gone, end this process at once, even in the middle of a run."""
    try:
        while True:
            requests.put(connection.recv())
    except (EOFError, OSError):
        os._exit(0)
