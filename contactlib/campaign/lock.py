"""A lock on the folder of a campaign or a calibration: one process at a time may write there."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "lock"


@contextmanager
def locked(folder: Path, what: str = "campaign") -> Iterator[None]:
    """Lock a folder for this process. Raise ValueError, which names the owner, if another process has the lock.

    The operating system locks the file `lock` and releases that lock when the process ends in any way. The file itself
    stays; it holds the process number and the machine of its last owner.

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
            owner = os.pread(handle, 200, 0).decode(errors="replace").strip()
            raise ValueError(f"{folder}: another process runs this {what} now{owner and f' ({owner})'}: wait until "
                             f"it ends, or choose another folder") from None
        name = f"process {os.getpid()} on {socket.gethostname()}\n".encode()
        os.ftruncate(handle, os.pwrite(handle, name, 0))
        yield
    finally:
        os.close(handle)
