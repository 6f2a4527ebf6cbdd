"""Files: atomic writing, reading with or without a byte order mark, and the check that files lie in their folder."""

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

#: suffix of a temporary file, which replaces the final file after writing
UNFINISHED = ".new"
#: folders whose entries are open files of the process, such as /dev/stdout
_DEVICES = (("/", "dev"), ("/", "proc"))
_number = count()


def write_whole(path: str | Path, write: Callable[[BinaryIO], object]) -> Path:
    """Write a file atomically: write a temporary file in its folder, then move that file to its place.

    Parameters
    ----------
    path : the file. Links are followed. A device or a pipe, such as /dev/stdout, is written directly.
    write : writes the content to an open binary file and leaves the file open.

    Returns
    -------
    Path
        The path as given.

    Raises
    ------
    OSError : the file cannot be written. The error names the file. The old file is unchanged, and no temporary file
        remains.

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
    """Write a text atomically (`write_whole`) as UTF-8; line ends are not changed."""
    return write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write bytes atomically (`write_whole`)."""
    return write_whole(path, lambda file: file.write(content))


def _mode(path: Path) -> int | None:
    """Return the mode of an existing file; None if there is none. OSError if the file must not be replaced."""
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
    """Write the folder's new entry to the disk; some file systems cannot do so."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add this file's name to an OSError without a name, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        number = error.errno if error.errno is not None else errno.EIO
        reason = error.strerror or str(error) or os.strerror(number)
        raise OSError(number, reason, str(path)) from error


def read_text(path: str | Path) -> str:
    """Read the text of a UTF-8 file without the byte order mark that some editors write.

    Raises ValueError (UnicodeDecodeError) if the file is not UTF-8, and OSError if it cannot be read.
    """
    return Path(path).read_text(encoding="utf-8-sig")


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read the tables of a TOML file. ValueError, with the file's name, on a syntax error; OSError on a read error."""
    try:
        return tomllib.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a TOML file: {error}") from None


@dataclass(frozen=True)
class SceneFolder:
    """The folder of a scene's files, and the permissions of these files.

    Attributes
    ----------
    folder : relative paths start at this folder.
    root : the scene's own folder; every file must lie in this folder or below.
    outside : True allows files anywhere.
    trust : True runs modules of contact models in Python. False refuses a scene that names such modules. None does not
    run
        the modules: the scene can be shown, but not compiled.
    """

    folder: Path
    root: Path
    outside: bool = False
    trust: bool | None = False

    @classmethod
    def of(cls, folder: str | Path, *, outside: bool = False, trust: bool | None = False) -> SceneFolder:
        """Return the SceneFolder of a scene file in this folder."""
        return cls(Path(folder), Path(folder), outside, trust)

    def below(self, folder: Path) -> SceneFolder:
        """Return this scene's permissions for paths that start at another folder: that of an object's own file."""
        return replace(self, folder=folder)

    def file(self, name: str) -> Path:
        """Return the path of a file that the scene names.

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
    """Return whether a path lies in a folder or below, after links and '..' are resolved."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a zero byte
        return False
