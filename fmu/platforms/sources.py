"""Where the sources and headers of the FMU binary lie."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

FMU = Path(__file__).parents[1]
FMI_SOURCES = ("fmi2.cpp", "fmi3.cpp", "instance.cpp", "snapshot.cpp", "resources.cpp")
#: the functions of contactlib.h, beside those of FMI in the binaries of all platforms; the header lies beside it
C_SOURCE = FMU / "c" / "contactlib.cpp"
C_HEADER = C_SOURCE.with_suffix(".h")


def eigen_include() -> Path:
    """Return the folder of Eigen's headers in the installed package cmeel-eigen."""
    try:
        root = importlib.metadata.distribution("cmeel-eigen").locate_file("cmeel.prefix/include/eigen3")
    except importlib.metadata.PackageNotFoundError:
        raise FileNotFoundError("Eigen's headers are missing; install the package cmeel-eigen.") from None
    return _present(Path(str(root)), "Eigen's headers", "cmeel-eigen")


def fmi_include() -> Path:
    """Return the folder of the FMI headers in the installed package FMPy."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("The FMI headers are missing; install the package FMPy.")
    return _present(Path(spec.submodule_search_locations[0]) / "c-code", "The FMI headers", "FMPy")


def default_core() -> Path:
    """Return the folder of the core's sources: beside the package, or in the repository."""
    for folder in (FMU.parent / "core", FMU.parent / "contactlib" / "core"):
        if (folder / "build.toml").is_file():
            return folder
    raise FileNotFoundError(f"The core's sources are not installed: there is no core/build.toml near {FMU}.")


def core_sources(core: Path) -> list[Path]:
    """Return all sources of the core, in an order that is the same on every machine."""
    return sorted(core.rglob("*.cpp"), key=lambda path: path.relative_to(core).as_posix())


def _present(folder: Path, what: str, package: str) -> Path:
    if not folder.is_dir():
        raise FileNotFoundError(f"{what} are not in {folder}; install the package {package} again.")
    return folder
