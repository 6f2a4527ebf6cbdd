"""Files: written whole or not at all, read with or without a byte order mark, kept within the folder of their scene."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

#: end of the name of a file that is being written; it stands beside the file that it will replace
UNFINISHED = ".new"
#: folders in which a name stands for an open file of the process, such as /dev/stdout
_DEVICES = (("/", "dev"), ("/", "proc"))
_number = count()


def write_whole(path: str | Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write a file beside its place, then move it there: at no time is half a file in that place.

    Parameters
    ----------
    path : the file. A link is followed. A device or a pipe, such as /dev/stdout, is written directly.
    write : writes the content to the open binary file that it is given, and leaves that file open.

    Returns
    -------
    Path
        The file, as it was given.

    Raises
    ------
    OSError : the file cannot be written. The error names the file; the old file is whole, and no part of a new one is
        left.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(f"{folder}/a.txt", lambda file: file.write(b"whole")).read_bytes()
    b'whole'
    """
    path = Path(path)
    with naming(path):
        mode = _mode(path)
        if (mode is None or stat.S_ISREG(mode)) and path.parts[:2] not in _DEVICES:
            _replace(path.resolve(), write, mode)
        else:
            with path.open("wb") as file:
                write(file)
    return path


def write_text(path: str | Path, text: str) -> Path:
    """Write a text as UTF-8, with the line ends that it has; whole or not at all, as `write_whole`."""
    return write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write bytes; whole or not at all, as `write_whole`."""
    return write_whole(path, lambda file: file.write(content))


def _mode(path: Path) -> int | None:
    """Kind and permissions of what stands at a place; None if nothing does. OSError where it must not be replaced."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return mode


def _replace(place: Path, write: Callable[[BinaryIO], object], mode: int | None) -> None:
    new = place.with_name(f".{place.name[:200]}.{os.getpid()}.{next(_number)}{UNFINISHED}")
    try:
        with open(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), "w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(new, stat.S_IMODE(mode))
        os.replace(new, place)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    _sync_folder(place.parent)


def _sync_folder(folder: Path) -> None:
    """Give the disk the new name too; some file systems cannot."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError names this file: one of a full disk says by itself only that there is no room."""
    try:
        yield
    except OSError as error:
        number = error.errno if error.errno is not None else errno.EIO
        reason = error.strerror or str(error) or os.strerror(number)
        raise OSError(number, reason, str(path)) from error


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, without the byte order mark that some editors put before it.

    Raises ValueError (UnicodeDecodeError) if it is not UTF-8, and OSError if it cannot be read.
    """
    return Path(path).read_text(encoding="utf-8-sig")


def read_toml(path: str | Path) -> dict[str, Any]:
    """The tables of a TOML file; ValueError naming the file if it is none, OSError if it cannot be read."""
    try:
        return tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a TOML file: {error}") from None


@dataclass(frozen=True)
class SceneFolder:
    """Where the files of a scene are sought, and what may be done with them.

    Attributes
    ----------
    folder : paths start here.
    root : the scene's own folder; every file must lie in it or below it.
    outside : True: files may lie anywhere.
    trust : True: modules of contact models in Python are run. False: a scene that names one is refused. None: they are
        not run, and the scene can be shown but not compiled.
    """

    folder: Path
    root: Path
    outside: bool = False
    trust: bool | None = False

    @classmethod
    def of(cls, folder: str | Path, *, outside: bool = False, trust: bool | None = False) -> SceneFolder:
        """The folder of a scene file itself."""
        return cls(Path(folder), Path(folder), outside, trust)

    def below(self, folder: Path) -> SceneFolder:
        """The same scene's files, sought from another folder: that of an object's own file."""
        return replace(self, folder=folder)

    def file(self, name: str) -> Path:
        """The path of a file that the scene names.

        Raises
        ------
        ValueError : the file lies outside the scene's folder, and the scene may not read there.

        Examples
        --------
        >>> SceneFolder.of("scene").file("../secret.stl")
        Traceback (most recent call last):
        ValueError: the file ../secret.stl lies outside the scene's folder scene: put it there, or allow files from \
elsewhere with --outside (in Python: outside=True)
        """
        path = self.folder / name
        if not self.outside and not is_below(path, self.root):
            raise ValueError(f"the file {name} lies outside the scene's folder {self.root}: put it there, or allow "
                             f"files from elsewhere with --outside (in Python: outside=True)")
        return path


def is_below(path: Path, root: Path) -> bool:
    """True if a path lies in a folder or below it, once links and '..' are followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a zero byte
        return False
