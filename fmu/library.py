"""The C library: the header, the library of a platform, and compiled scenes in one folder (docs/c.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from contactlib.common.files import write_bytes
from contactlib.fmu.export import binaries
from contactlib.fmu.platforms.sources import C_HEADER
from contactlib.fmu.platforms.table import find_platform, platform_folder
from contactlib.model.model import Model


def library_name(platform: str | None = None) -> str:
    """Return the name of the library's file: as linkers of the platform look for `-lcontactlib`.

    Examples
    --------
    >>> library_name("linux64"), library_name("win64")
    ('libcontactlib.so', 'contactlib.dll')
    """
    row = find_platform(platform or platform_folder())
    return f"{'' if row.system == 'windows' else 'lib'}contactlib{row.suffix}"


def export_library(folder: str | Path, models: Sequence[Model] = (), *, platform: str | None = None) -> list[Path]:
    """Write contactlib.h, the library, and a file NAME.bin for each model.

    Parameters
    ----------
    folder : where to write; it is created.
    models : compiled scenes, for `contactlib_load`.
    platform : a name of `contactlib.fmu.build.PLATFORMS`; default: this machine's.

    Returns
    -------
    list of Path : the files.

    Raises
    ------
    ValueError : a model has contact models in Python, which the library cannot run; or there is no such platform.
    FileNotFoundError : the binary of the platform was not built; the message says how to build it.

    Examples
    --------
    >>> import contactlib
    >>> [path.name for path in export_library("out/c_peg", [contactlib.load("peg_in_hole").compile()])]
    ['contactlib.h', 'libcontactlib.so', 'peg_in_hole.bin']
    """
    platform = platform or platform_folder()
    for model in models:
        if model.core.user_laws:
            raise ValueError(f"{model.name} has contact models in Python, which the C library cannot run: replace them "
                             "by laws of contactlib")
    (_, library), = binaries([platform])
    content = {"contactlib.h": C_HEADER.read_bytes(), library_name(platform): library}
    content |= {f"{model.name}.bin": model.to_bytes() for model in models}
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [write_bytes(Path(folder) / name, data) for name, data in content.items()]
