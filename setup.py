"""The compiled core: one extension, and the prebuilt binary that every FMU carries. All else is in pyproject.toml."""

import importlib.util
import tempfile
import tomllib
from pathlib import Path

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
CORE = Path("contactlib/core")
BUILD = tomllib.loads((ROOT / CORE / "build.toml").read_text())


def load_fmu_build():
    """fmu/build.py by path: contactlib itself is not importable before it is built."""
    spec = importlib.util.spec_from_file_location("fmu_build", ROOT / "fmu" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Build(build_ext):
    """Adds OpenMP where a probe links with it, and builds the FMU binary after the extension."""

    def build_extensions(self):
        self.parallel = self.parallel or 2
        if self.links("-fopenmp"):
            for extension in self.extensions:
                extension.extra_compile_args.append("-fopenmp")
                extension.extra_link_args.append("-fopenmp")
        super().build_extensions()
        package = ROOT / "fmu" if self.inplace else Path(self.build_lib) / "contactlib" / "fmu"
        load_fmu_build().build(ROOT / CORE, package / "binaries")

    def links(self, flag):
        """The probe is compiled and linked, never run, so that cross-compiling works."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.cpp"
            probe.write_text("#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n")
            try:
                objects = self.compiler.compile([str(probe)], output_dir="/", extra_postargs=[flag])
                self.compiler.link_executable(objects, str(Path(folder) / "probe"), extra_postargs=[flag])
            except Exception:
                return False
            return True


fmu_build = load_fmu_build()
engine = Extension(
    "contactlib._core.engine",
    ["contactlib/_core/engine.pyx", *(str(CORE / source) for source in BUILD["sources"])],
    depends=[str(p) for p in [*CORE.rglob("*.hpp"), *Path("contactlib/_core").glob("*.p*")]],
    include_dirs=[str(CORE), numpy.get_include(), str(fmu_build.eigen_include())],
    define_macros=[(name, None) for name in BUILD["defines"]],
    extra_compile_args=[f"-std={BUILD['standard']}", *BUILD["flags"], "-Wno-unused-function"],
    language="c++",
)
setup(ext_modules=[engine], cmdclass={"build_ext": Build})
