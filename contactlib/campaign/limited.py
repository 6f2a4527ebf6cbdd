"""Runs with a time limit: each is done by a child process, which can be ended where a thread cannot.

A thread that asks has one child at a time. The child makes the campaign's Runner once and then does run after run; it
ends itself when its parent closes the connection or dies, even in the middle of a run.
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

#: s that a child may take to end by itself once nobody needs it
PATIENCE = 5.0
CODE = "from contactlib.campaign.child import serve; serve({handle})"

_own = threading.local()


def too_long(limit: float) -> str:
    """The sentence of a run that did not end in time."""
    return f"the run took longer than its time limit of {limit:g} s"


def run_limited(source: Source, values: Mapping[str, Any], limit: float) -> Outcome:
    """One run with these drawn values, in this thread's child process.

    Parameters
    ----------
    source : the campaign.
    values : the drawn values of the run by name.
    limit : s of real time; the start of the child process does not count.

    Returns
    -------
    Outcome
        As `Runner.run`; its error says so where the run was ended after `limit`, or where its process died.

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
    """The child process is no more; the sentence says why."""


class Child:
    """A process that does runs of one campaign."""

    def __init__(self, source: Source) -> None:
        self.key = repr(source)
        self.connection, theirs = Pipe()
        code = CODE.format(handle=theirs.fileno())
        try:
            # a session of its own: an interrupt at the terminal is for the parent alone
            self.process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()],
                                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
                                            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        except OSError as error:
            raise ValueError(f"the process for runs with a time limit cannot be started: {error}") from None
        finally:
            theirs.close()
        try:
            self.connection.send(source)
            problem = self.connection.recv()
        except (EOFError, OSError):
            problem = self._how_it_ended()
        if problem is not None:
            self.close()
            raise ValueError(f"the process for runs with a time limit does not work: {problem}")

    def run(self, values: Mapping[str, Any], limit: float) -> Outcome:
        """One run; _EndedError where it takes longer than `limit` s or ends its process."""
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
            self.process.wait(PATIENCE)
        code = self.process.returncode
        if code is not None and code < 0:
            with suppress(ValueError):
                return signal.Signals(-code).name
        return f"exit status {code}"

    def close(self) -> None:
        """End the process."""
        self.connection.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __del__(self) -> None:
        with suppress(Exception):  # not even started, or Python itself is ending
            self.close()
