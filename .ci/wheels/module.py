"""Builds the Python module for one processor with zig: for glibc 2.17 and every Python from 3.11 (limited API)."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import replace
from pathlib import Path

from runtime import RUNTIME, headers, load_runtime

from contactlib.fmu.platforms.compile import Compiler, compile_core, compile_sources
from contactlib.fmu.platforms.sources import default_core
from contactlib.fmu.platforms.table import PLATFORMS
from contactlib.fmu.platforms.zig import build_platform, find_zig, zig_compiler

ROOT = Path(__file__).parents[2]
BINDING = Path("contactlib/_core")
#: by processor, the row of the table of platforms
PROCESSORS = {"x86_64": "linux64", "aarch64": "aarch64-linux"}
# 3.11 is the first version whose limited API has the buffer protocol, which memoryviews need
LIMITED_API = "-DPy_LIMITED_API=0x030B0000"
# Cython's functions, and macros of glibc that Python sets to other values
QUIET = ("-Wno-unused-function", "-Wno-macro-redefined")
LINK = ("-shared", "-s", "-Wl,--version-script={exports}", "-Wl,--gc-sections", "-Wl,-z,relro", "-Wl,-z,now",
        "-Wl,-rpath,$ORIGIN")


def build_module(processor: str, built: Path, jobs: int | None = None) -> None:
    """Write the module, its OpenMP runtime and this processor's FMU binary into `built`, as they lie in a wheel."""
    row, core, output = PLATFORMS[PROCESSORS[processor]], default_core(), built / BINDING
    with tempfile.TemporaryDirectory(prefix="contactlib_module_") as folder:
        scratch = Path(folder)
        compiler = zig_compiler(row.targets[0], core, scratch)
        core_objects = compile_core(core, scratch / "core", compiler, jobs)
        build_platform(row, core, built / "contactlib/fmu/binaries", jobs, core_objects)
        binding = _compile_binding(core, scratch, replace(compiler, last=(*compiler.last, *QUIET)))
        output.mkdir(parents=True, exist_ok=True)
        runtime = load_runtime(processor, output / RUNTIME)
        exports = scratch / "exports.map"
        exports.write_text("{ global: PyInit_*; local: *; };\n", encoding="utf-8")
        flags = [flag.format(exports=exports) for flag in LINK]
        compiler.run(*flags, *map(str, [*binding, *core_objects, runtime]), "-o", str(output / "engine.abi3.so"))
    shutil.copy(_license_of_llvm(), output / "LICENSE-LLVM.txt")


def _compile_binding(core: Path, scratch: Path, compiler: Compiler) -> list[Path]:
    source = scratch / "engine.cpp"
    # from the repository's root, so that no path of this machine is in the source
    subprocess.run([sys.executable, "-m", "cython", "--cplus", str(BINDING / "engine.pyx"), "-o", str(source)],
                   cwd=ROOT, check=True)
    flags = [LIMITED_API, "-fopenmp", f"-I{_python_headers(scratch)}", f"-I{headers(scratch)}"]
    return compile_sources([source], core, scratch / "binding", flags, compiler)


def _python_headers(scratch: Path) -> Path:
    """Python's headers in one folder.

    Debian's pyconfig.h includes one for the processor, which is there for this machine's only. All Linux systems with
    64 bits have the same sizes of C types, and the limited API uses nothing else of it.
    """
    folder = scratch / "python"
    shutil.copytree(sysconfig.get_path("include"), folder)
    shutil.copy(sysconfig.get_config_h_filename(), folder / "pyconfig.h")
    return folder


def _license_of_llvm() -> Path:
    """The licence of LLVM, whose C++ library and OpenMP runtime are in the wheel, from the package ziglang."""
    return find_zig().parent / "lib/libcxx/LICENSE.TXT"
