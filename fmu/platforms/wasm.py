"""Builds the core and the FMI functions as one WebAssembly module, with zig, for web pages, workers and node."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from .compile import compile_core, compile_fmi
from .sources import FMU
from .zig import publish, zig_compiler

#: the name of the platform, which is none of FMI's
WASM = "wasm32"
TARGET = "wasm32-wasi"
LIBRARY = f"{WASM}/contactlib.wasm"
#: what the module exports besides functions of FMI
INTERFACE = (FMU / "web" / "web.cpp", FMU / "web" / "live.cpp")
#: of FMI: all that contactlib.mjs calls. Without fmi2Instantiate no file is opened, so that the module needs no system
FMI_FUNCTIONS = (
    "fmi2SetupExperiment",
    "fmi2EnterInitializationMode",
    "fmi2ExitInitializationMode",
    "fmi2Reset",
    "fmi2GetReal",
    "fmi2GetInteger",
    "fmi2SetReal",
    "fmi2SetInteger",
    "fmi2GetFMUstate",
    "fmi2SetFMUstate",
    "fmi2FreeFMUstate",
    "fmi2SerializedFMUstateSize",
    "fmi2SerializeFMUstate",
    "fmi2DeSerializeFMUstate",
    "fmi2DoStep",
    "fmi2GetRealStatus",
)
#: there are no exceptions, so that the module ends where memory does; code at fixed places, as there is one module
COMPILE = ("-fignore-exceptions", "-fno-PIC", "-fno-stack-protector")
#: zig lays the stack first: one that overflows leaves the memory and ends the module, instead of writing over data
LINK = ("-mexec-model=reactor", "-s", "-Wl,--gc-sections", "-Wl,-z,stack-size=1048576")


def build_wasm(core: Path, output: Path, jobs: int | None = None) -> Path:
    """Compile and link the module into ``<output>/wasm32/``.

    Parameters
    ----------
    core
        The folder of the core's sources.
    output
        The folder ``binaries``; the folder ``wasm32`` is created below.
    jobs
        Number of files that are compiled at a time, by default one for each processor.

    Returns
    -------
    Path
        The module.

    Raises
    ------
    FileNotFoundError
        If ziglang or headers are missing.
    RuntimeError
        If zig fails; the message contains its output.
    """
    with tempfile.TemporaryDirectory(prefix="contactlib_wasm_") as folder:
        scratch = Path(folder)
        compiler = replace(zig_compiler(TARGET, core, scratch), last=COMPILE)
        objects = compile_fmi(core, scratch / "fmi", compiler, jobs, more=INTERFACE)
        objects += compile_core(core, scratch / "core", compiler, jobs)
        module = scratch / "contactlib.wasm"
        names = [f"-Wl,--export={name}" for name in (*exported_names(), *FMI_FUNCTIONS)]
        compiler.run(*LINK, *names, *map(str, objects), "-o", str(module))
        return publish(module.read_bytes(), output / LIBRARY)


def exported_names() -> list[str]:
    """Return the names of the functions that web.cpp and live.cpp define for JavaScript.

    Examples
    --------
    >>> "contactlib_open" in exported_names()
    True
    """
    text = "".join(path.read_text(encoding="utf-8") for path in INTERFACE)
    return sorted(set(re.findall(r"\b(contactlib_\w+)\(", text)))
