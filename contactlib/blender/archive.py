"""The extension as the zip file that Blender installs."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import BinaryIO

from contactlib.common.files import write_whole

FOLDER = Path(__file__).with_name("extension")
#: time of all files in the zip file, so that the same extension is the same bytes
DATE = (2020, 1, 1, 0, 0, 0)


def extension_files() -> list[Path]:
    """Return the files of the extension, without compiled ones."""
    return sorted(path for path in FOLDER.rglob("*") if path.suffix in (".py", ".toml") and path.is_file())


def write_extension(path: str | Path) -> Path:
    """Write the zip file; return its path. Raises OSError.

    >>> import tempfile, zipfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     "blender_manifest.toml" in zipfile.ZipFile(write_extension(f"{folder}/contact.zip")).namelist()
    True
    """

    def write(file: BinaryIO) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in extension_files():
                info = zipfile.ZipInfo(each.relative_to(FOLDER).as_posix(), DATE)
                info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(info, each.read_bytes())

    return write_whole(path, write)
