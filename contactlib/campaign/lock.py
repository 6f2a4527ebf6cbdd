"""Lock: one process at a time works on the folder of a campaign."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; ValueError, with who has it, if another one does.

    The lock is one of the operating system on the file `lock`, which the system takes from a process that ends, however
    it ends: a lock is never left behind. The file stays, and has the number and the machine of its last holder in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder)), locked(Path(folder)):
    ...     pass    # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...: another process runs this campaign now (process ...
    """
    import fcntl

    with (folder / NAME).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = " ".join(file.read(200).split()) or "unknown"
            raise ValueError(f"{folder}: another process runs this campaign now ({holder}): wait until it ends, or "
                             f"choose another folder") from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        yield
