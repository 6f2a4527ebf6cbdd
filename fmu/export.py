"""Exports a scene as an FMU: description, model file and prebuilt binaries. No compiler is needed."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from contactlib.common.files import write_whole
from contactlib.fmu import description
from contactlib.fmu.description_fmi3 import fmi3_description
from contactlib.fmu.package.documentation import documentation, license_text
from contactlib.fmu.package.icon import icon
from contactlib.fmu.package.identifier import model_identifier
from contactlib.fmu.platforms.table import LIBRARY, PLATFORMS, find_platform

if TYPE_CHECKING:
    from contactlib.fmu.package.metadata import Metadata
    from contactlib.model.model import Model

BINARIES = Path(__file__).parent / "binaries"
MODEL_FILE = "resources/model.bin"
VERSIONS = ("2.0", "3.0")
EPOCH = (1980, 1, 1, 0, 0, 0)


def export_fmu(
    model: Model,
    path: str | Path,
    *,
    flat_names: bool = False,
    platforms: Sequence[str] | None = None,
    fmi_version: str = "2.0",
    metadata: Metadata | None = None,
) -> Path:
    """Write a model as an FMU for FMI 2.0 or 3.0 co-simulation.

    The file depends on the model and the prebuilt binaries alone, except for its date, which ``SOURCE_DATE_EPOCH`` can
    fix.

    Parameters
    ----------
    model
        The compiled scene.
    path
        The file to write; the name should end in ``.fmu``.
    flat_names
        Write ``peg_r_1`` instead of ``peg.r[1]``, for tools that make buses of structured names, such as Simulink.
    platforms
        Names of the platforms whose binaries the FMU contains, such as ``["linux64", "win64"]``; by default all
        platforms whose binaries are there.
    fmi_version
        ``"2.0"``, or ``"3.0"`` with arrays, such as ``peg.r``, for ``peg.r[1]`` to ``peg.r[3]``.
    metadata
        Author, version, licence and description of the FMU.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileNotFoundError
        If there is no prebuilt binary, or not the one of a platform in `platforms`.
    ValueError
        If two variables have equal flat names, if a contact model of the scene is written in Python, or if `platforms`
        is empty or has a name that is no platform, or if there is no such version of FMI.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_fmu(model, f"{folder}/peg.fmu").name
    'peg.fmu'
    """
    if model.core.user_laws:
        kinds = " and ".join(f"law '{name}'" for _, name, *_ in model.core.user_laws)
        raise ValueError(
            f"the contact model of {kinds} is written in Python, which a native FMU cannot run: export a Python FMU "
            f"with fmu.python_slave.export_pythonfmu, or with `contactlib fmu export` without --flat"
        )
    if fmi_version not in VERSIONS:
        raise ValueError(f"fmi_version = {fmi_version!r}: must be one of {', '.join(VERSIONS)}")
    arrays = fmi_version == "3.0"  # whose names become flat when they are put together
    root = description.model_description(model, flat_names=flat_names and not arrays, metadata=metadata)
    libraries = dict(binaries(platforms, model_identifier(model.name)))
    package = package_files(model, flat_names=flat_names, metadata=metadata)
    if arrays:
        root, libraries = fmi3_description(root, flat_names=flat_names), in_fmi3_folders(libraries)
        package["terminalsAndIcons/icon.png"] = package.pop("model.png")
    files = {"modelDescription.xml": description.to_bytes(root), MODEL_FILE: model.to_bytes()}
    return write_archive(Path(path), {**files, **package, **libraries})


def in_fmi3_folders(libraries: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return binaries in the folders of FMI 3.0, one for each architecture: binaries/x86_64-linux, not linux64."""
    return {f"binaries/{folder}/{name}": content
            for path, content in libraries.items()
            for _, platform, name in [path.split("/")]
            for folder in find_platform(platform).tuples}


def package_files(model: Model, *, flat_names: bool = False, metadata: Metadata | None = None) -> dict[str, bytes]:
    """Return the icon, the documentation and the licence of an FMU, by their names in the archive."""
    names = description.variable_names(model, flat_names)
    return {
        "model.png": icon(),
        "documentation/index.html": documentation(model, names, metadata).encode(),
        "documentation/licenses/license.txt": license_text(),
    }


def present_platforms() -> list[str]:
    """Return the platforms whose prebuilt binaries are there."""
    return [name for name, row in PLATFORMS.items() if (BINARIES / row.library).is_file()]


def binaries(platforms: Sequence[str] | None = None, identifier: str = LIBRARY) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the prebuilt binaries: of these platforms, or of all that are there.

    `identifier` is the modelIdentifier, which FMI demands as the name of each library. All have one content.

    Raises
    ------
    FileNotFoundError
        If there is none, or not the one of a platform in `platforms`. The message says how to build it.
    ValueError
        If `platforms` is empty or has a name that is no platform.
    """
    present = present_platforms()
    if platforms is None:
        if not present:
            raise FileNotFoundError(
                f"There is no FMU binary in {BINARIES}. Build it with: python -m contactlib.fmu.build"
            )
        platforms = present
    elif not platforms:
        raise ValueError("platforms is empty: name at least one, or leave it out for all that are there")
    for row in [find_platform(name) for name in sorted(set(platforms))]:
        if row.name not in present:
            raise FileNotFoundError(
                f"There is no FMU binary for {row.name} in {BINARIES}; there is {', '.join(present) or 'none at all'}. "
                f"Build it with: python -m contactlib.fmu.build --platform {row.name}"
            )
        yield f"binaries/{row.name}/{identifier}{row.suffix}", (BINARIES / row.library).read_bytes()


def write_archive(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write a reproducible zip file atomically: order, dates and permissions are fixed."""
    return write_whole(path, lambda file: _write_entries(file, files))


def _write_entries(file: BinaryIO, files: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # unix, on every system
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, content)
