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

    handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip()
            raise ValueError(f"{folder}: another process runs this campaign now{holder and f' ({holder})'}: wait until "
                             f"it ends, or choose another folder") from None
        name = f"process {os.getpid()} on {socket.gethostname()}\n".encode()
        os.ftruncate(handle, os.pwrite(handle, name, 0))
        yield
    finally:
        os.close(handle)
