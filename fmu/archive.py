"""Reads an FMU's archive within limits, which are checked before anything is unpacked or parsed."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path
from xml.etree.ElementTree import Element

from contactlib.common.xml_tree import read_xml

DESCRIPTION = "modelDescription.xml"
#: most bytes of modelDescription.xml, most files, and most bytes of all unpacked files
MAX_XML = 16 << 20
MAX_FILES = 10_000
MAX_UNPACKED = 1 << 30
MIB = 1 << 20


def check_archive(archive: zipfile.ZipFile) -> None:
    """Refuse an archive that would fill the memory or the disk, or would be unpacked outside its folder.

    The checks use the sizes that the archive declares, because zipfile unpacks no more than the declared size.

    Parameters
    ----------
    archive : the opened FMU; nothing is unpacked.

    Raises
    ------
    ValueError : states what is wrong and what is allowed.

    Examples
    --------
    >>> import io
    >>> with zipfile.ZipFile(io.BytesIO(), "w") as archive:
    ...     archive.writestr("../evil.txt", b"")
    ...     check_archive(archive)
    Traceback (most recent call last):
    ValueError: its file '../evil.txt' would be unpacked outside the FMU's folder
    """
    entries = archive.infolist()
    if len(entries) > MAX_FILES:
        raise ValueError(f"it has {len(entries)} files: at most {MAX_FILES} are allowed")
    seen: set[str] = set()
    for entry in entries:
        _check_entry(entry)
        if entry.filename in seen:
            raise ValueError(f"it has the file {entry.filename!r} twice")
        seen.add(entry.filename)
    total = sum(entry.file_size for entry in entries)
    if total > MAX_UNPACKED:
        raise ValueError(f"it has {total / MIB:.0f} MiB once it is unpacked: at most {MAX_UNPACKED // MIB} MiB are "
                         f"allowed")


def _check_entry(entry: zipfile.ZipInfo) -> None:
    # on Windows, a backslash or a drive letter can lead out of the folder
    parts = entry.orig_filename.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or ":" in parts[0] or "\0" in entry.orig_filename:
        raise ValueError(f"its file {entry.orig_filename!r} would be unpacked outside the FMU's folder")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ValueError(f"its file {entry.filename!r} is a link, which an FMU must not have")
    if entry.flag_bits & 1:
        raise ValueError(f"its file {entry.filename!r} is encrypted")
    if entry.filename == DESCRIPTION and entry.file_size > MAX_XML:
        raise ValueError(f"its {DESCRIPTION} has {entry.file_size / MIB:.0f} MiB: at most {MAX_XML // MIB} MiB are "
                         f"allowed")


def read_archive(path: Path) -> tuple[Element, dict[str, int]]:
    """The root of an FMU's modelDescription.xml, and the size of each of its files, by name.

    Parameters
    ----------
    path : the FMU. Nothing is unpacked to the disk.

    Raises
    ------
    ValueError : the file is not an archive or exceeds the limits of `check_archive`, or its description is missing or
        cannot be read.
    OSError : there is no such file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            check_archive(archive)
            with archive.open(DESCRIPTION) as file:
                content = file.read(archive.getinfo(DESCRIPTION).file_size + 1)  # not more than the declared size
            files = {entry.filename: entry.file_size for entry in archive.infolist() if not entry.is_dir()}
    except KeyError:
        raise ValueError(f"it has no {DESCRIPTION}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ValueError(str(error) or "the archive is damaged") from None
    return read_xml(content, f"its {DESCRIPTION}"), files


def read_file(path: Path, name: str) -> bytes:
    """The content of one file of an FMU, whose archive `read_archive` has checked.

    Raises
    ------
    ValueError : the file is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            return file.read(archive.getinfo(name).file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ValueError(str(error) or "the archive is damaged") from None
