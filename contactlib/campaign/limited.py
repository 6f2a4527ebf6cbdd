"""Runs with a time limit: a child process does each run, because a process can be killed and a thread cannot.

Each thread has at most one child process. The child builds the campaign's Runner once and then does one run after the
other. The child ends when its parent closes the connection or dies, even in the middle of a run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Pipe
from typing import Any

from contactlib.campaign.definition import Source
from contactlib.campaign.outcome import Outcome

#: time that a child process has to end by itself after its connection is closed, s
TIMEOUT = 5.0
CODE = "from contactlib.campaign.child import serve; serve({handle})"

_own = threading.local()


def too_long(limit: float) -> str:
    """Return the error of a run that exceeded its time limit (s)."""
    return f"the run took longer than its time limit of {limit:g} s"


def run_limited(source: Source, values: Mapping[str, Any], limit: float) -> Outcome:
    """Do one run with these drawn values in the calling thread's child process.

    Parameters
    ----------
    source : the campaign.
    values : the drawn values of the run by name.
    limit : time limit, s of real time; the start of the child process does not count.

    Returns
    -------
    Outcome
        As from `Runner.run`. Its error names the time limit if the run exceeded it, or how the child process died.

    Raises
    ------
    ValueError : the child process cannot be started, or cannot read the campaign.
    """
    child: Child | None = getattr(_own, "child", None)
    if child is None or child.key != repr(source):
        _own.child = None  # ends the child of another campaign
        child = _own.child = Child(source)
    try:
        return child.run(values, limit)
    except _EndedError as error:
        _own.child = None
        return Outcome({}, str(error))


class _EndedError(Exception):
    """The child process has ended; the message says why."""


class Child:
    """A child process that does runs of one campaign."""

    def __init__(self, source: Source) -> None:
        self.key = repr(source)
        self.connection, child_end = Pipe()
        code = CODE.format(handle=child_end.fileno())
        try:
            # a session of its own: an interrupt at the terminal reaches the parent alone
            self.process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[child_end.fileno()],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
                                            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        except OSError as error:
            raise ValueError(f"the process for runs with a time limit cannot be started: {error}") from None
        finally:
            child_end.close()
        try:
            self.connection.send(source)
            problem = self.connection.recv()
        except (EOFError, OSError):
            problem = self._how_it_ended()
        if problem is not None:
            self.close()
            raise ValueError(f"the process for runs with a time limit does not work: {problem}")

    def run(self, values: Mapping[str, Any], limit: float) -> Outcome:
        """Do one run. Raise _EndedError if the run exceeds `limit` (s) or its process dies."""
        try:
            self.connection.send(dict(values))
            if self.connection.poll(limit):
                outcome: Outcome = self.connection.recv()
                return outcome
        except (EOFError, OSError):
            raise _EndedError(f"the process of this run died: {self._how_it_ended()}") from None
        self.process.kill()
        self.process.wait()
        raise _EndedError(too_long(limit))

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(TIMEOUT)
        code = self.process.returncode
        if code is not None and code < 0:
            with suppress(ValueError):
                return signal.Signals(-code).name
        return f"exit status {code}"

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __del__(self) -> None:
        with suppress(Exception):  # the process never started, or the interpreter is shutting down
            self.close()
